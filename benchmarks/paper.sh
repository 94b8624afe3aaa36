#!/bin/sh
# Every run of docs/paper.md, what is kept of them, and the page: benchmarks/paper.sh [FOLDER FOR THE RUNS]
# Resumable: what is finished, or kept, is not made again. CAMOBO names the command.
set -eu
cd "$(dirname "$0")/.."
camobo=${CAMOBO:-.venv/bin/camobo}
out=${1:-paper-runs}
kept=benchmarks/results/paper
synthetic="zdt3 cross-holder matyas-booth"
names=

run() {  # FOLDER EXPERIMENT OPTION...
	names="$names $1"
	place=$out/$1
	if [ ! -e "$place" ] && [ -e "$kept/$1/runs.npz" ]; then
		mkdir -p "$place"
		cp "$kept/$1/settings.json" "$kept/$1/runs.npz" "$place/"
	fi
	shift
	"$camobo" paper "$@" --out "$place"
}

"$camobo" paper cost-surface --out "$out/cost-surface"

# The text at full length, then without a model and by the script: what the page is about. The network, the longest, is last.
for name in $synthetic steel forest; do
	run $name $name --cost paper --cost printed --cost default
done
run steel-2 steel --objectives 2 --cost paper --cost printed --cost default
for protocol in "--protocol authors" "--depart model"; do
	run zdt3-${protocol#* } zdt3 $protocol --cost paper
	for name in cross-holder matyas-booth; do
		run $name-${protocol#* } $name $protocol --cost paper --runs 20
	done
done

# What the paper leaves open or misprints.
for name in $synthetic; do
	run $name-theory $name --beta theory --cost paper --cost printed --runs 20
done
run matyas-booth-printed matyas-booth --booth printed --cost paper --cost printed --runs 20

# From the text to the script, one departure more at a time.
for name in $synthetic; do
	all=
	set --
	for departure in length search variance sorted starts; do
		all=$all-$departure
		set -- "$@" --depart $departure
		run $name$all $name "$@" --cost paper --runs 20
	done
done
run zdt3-script$all zdt3 --g script "$@" --cost paper --runs 20

run network network --cost paper --cost printed --cost default

for name in $names; do
	"$camobo" paper pack "$out/$name"
	mkdir -p $kept/$name
	cp "$out/$name/settings.json" "$out/$name/runs.npz" $kept/$name/
	"$camobo" paper redraw "$kept/$name"  # so that the summary is what the kept runs, which are rounded, come to
done
mkdir -p docs/paper
for name in $synthetic steel forest; do
	cp "$out/$name/figure.png" docs/paper/$name.png
done
cp "$out/cost-surface/cost-surface.png" docs/paper/
"$camobo" paper table $kept --write docs/paper.md
