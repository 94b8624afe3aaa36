from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from camobo.acquisition import maximise as maximising
from camobo.acquisition.maximise import _spread_out, candidate_points, cheap_edges, maximise
from camobo.acquisition.surface import Surface
from camobo.arrays import Array
from camobo.errors import InvalidValueError, SpaceExhausted
from camobo.space.inputs import Categorical, Integer, Real
from camobo.space.space import Space
from tests.support.constrained import MIXTURE, exactly_inside
from tests.support.strategies import categoricals, integers, law, spaces, units
from tests.support.surfaces import Plain, bump, cube

few_examples = settings(deadline=None, max_examples=20)


def none_of(space: Space) -> Array:
    return np.zeros((0, space.dimension))


def find(
    surface: Surface,
    space: Space,
    *,
    seed: int = 0,
    best: Array | None = None,
    taken: Array | None = None,
    apart: float = 0.0,
    fixed: Mapping[str, float] | None = None,
) -> Array:
    return maximise(
        surface,
        space,
        best=none_of(space) if best is None else best,
        taken=none_of(space) if taken is None else taken,
        rng=np.random.default_rng(seed),
        apart=apart,
        fixed=fixed,
    )


class TestFinding:
    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize(("inputs", "width"), [(1, 0.05), (2, 0.2), (8, 0.5)])
    def test_the_top_of_a_smooth_bump_is_found(self, inputs: int, width: float, seed: int) -> None:
        centre = 0.1 + 0.8 * np.random.default_rng(100 + seed).random(inputs)
        found = find(Plain(bump(centre, width), cube(inputs)), cube(inputs), seed=seed)
        np.testing.assert_allclose(found, centre, atol=5e-3)

    @pytest.mark.parametrize("seed", range(3))
    def test_the_top_of_a_bump_beyond_a_face_is_found_on_the_face(self, seed: int) -> None:
        found = find(Plain(bump(np.array([1.3, 0.4, -0.2]), 0.6), cube(3)), cube(3), seed=seed)
        np.testing.assert_allclose(found, [1.0, 0.4, 0.0], atol=5e-3)

    @pytest.mark.parametrize("seed", range(3))
    def test_the_higher_of_two_bumps_is_found(self, seed: int) -> None:
        low, high = np.array([0.2, 0.3]), np.array([0.8, 0.6])
        both = Plain(lambda units: bump(low, 0.15)(units) + 1.1 * bump(high, 0.1)(units), cube(2))
        np.testing.assert_allclose(find(both, cube(2), seed=seed), high, atol=1e-2)

    @pytest.mark.parametrize("seed", range(3))
    def test_a_narrow_bump_around_a_good_point_is_found_from_that_point(self, seed: int) -> None:
        centre, space = np.full(5, 0.37), cube(5)
        found = find(Plain(bump(centre, 0.02), space), space, seed=seed, best=centre[None, :] + 0.02)
        np.testing.assert_allclose(found, centre, atol=2e-3)

    @pytest.mark.parametrize("seed", range(3))
    def test_the_best_point_of_a_mixed_space_is_found(self, seed: int) -> None:
        space = Space(
            {
                "nickel": Real(0, 20),
                "soak": Integer(1, 40),
                "quench": Categorical(["air", "oil", "water", "vacuum"]),
                "carbon": Real(0.01, 1, log=True),
            }
        )
        aim = space.to_unit({"nickel": 7.0, "soak": 23, "quench": "water", "carbon": 0.2})
        found = space.from_unit(find(Plain(bump(aim, 0.15), space), space, seed=seed))
        assert found["soak"] == 23
        assert found["quench"] == "water"
        assert found["nickel"] == pytest.approx(7.0, abs=0.1)
        assert found["carbon"] == pytest.approx(0.2, rel=0.03)

    @pytest.mark.parametrize("seed", range(3))
    def test_the_best_point_of_a_large_space_of_integers_is_found(self, seed: int) -> None:
        space = Space({f"n{j}": Integer(0, 99) for j in range(3)})
        aim = space.to_unit({"n0": 71, "n1": 0, "n2": 34})
        found = space.from_unit(find(Plain(bump(aim, 0.2), space), space, seed=seed))
        assert found == {"n0": 71, "n1": 0, "n2": 34}

    @few_examples
    @given(spaces(), st.integers(0, 2**32))
    def test_the_cheap_vertex_is_found_however_narrow_its_bump(self, space: Space, seed: int) -> None:
        vertex = space.cheapest()
        np.testing.assert_allclose(find(Plain(bump(vertex, 1e-3), space), space, seed=seed), vertex, atol=1e-9)

    @pytest.mark.parametrize("seed", range(3))
    def test_the_edge_of_a_kinked_minimum_is_climbed(self, seed: int) -> None:
        top, along, across = np.array([0.55, 0.35]), np.array([0.8, 0.6]), np.array([-0.6, 0.8])

        def sides(units: Array) -> Array:
            moved = units - top
            flat = 1.0 - (moved @ across) ** 2
            return np.stack([flat + moved @ along, flat - 0.5 * moved @ along])

        def soft(units: Array) -> Array:
            return np.asarray(-0.02 * np.log(np.exp(-sides(units) / 0.02).sum(axis=0)))

        surface = Plain(lambda units: sides(units).min(axis=0), cube(2), soft)
        found = find(surface, cube(2), seed=seed)
        assert surface(found[None, :])[0] > 0.985

    @few_examples
    @given(spaces(), st.integers(0, 2**32), st.data())
    def test_the_result_can_be_evaluated_and_is_as_high_as_every_candidate(
        self, space: Space, seed: int, data: st.DataObject
    ) -> None:
        best = space.snap(data.draw(units(space)))
        wave = 1.0 + np.random.default_rng(seed).random(space.dimension)
        surface = Plain(lambda points: np.sin(5.0 * points @ wave), space)
        found = find(surface, space, seed=seed, best=best)
        np.testing.assert_allclose(space.snap(found[None, :])[0], found, atol=1e-12)
        highest = max(surface(points).max() for points in list(surface.seen) if len(points) >= min(50, space.size))
        assert surface(found[None, :])[0] >= highest - 1e-12

    def test_the_same_generator_finds_bitwise_the_same_point(self) -> None:
        surface = Plain(bump(np.array([0.3, 0.7]), 0.2), cube(2))
        one, same, other = (find(surface, cube(2), seed=seed) for seed in (4, 4, 5))
        np.testing.assert_array_equal(one, same)
        assert np.any(one != other)


class TestCandidates:
    @law
    @given(spaces(), st.integers(0, 2**32), st.data())
    def test_the_cheap_vertex_and_its_edges_are_among_them_in_any_space(
        self, space: Space, seed: int, data: st.DataObject
    ) -> None:
        best = data.draw(st.just(none_of(space)) | units(space))
        candidates = candidate_points(space, best, np.random.default_rng(seed))
        assert candidates.shape[1] == space.dimension
        assert np.all((candidates >= 0.0) & (candidates <= 1.0))
        vertex, expensive = space.cheapest(), space.at_expense(np.ones((1, space.dimension)))[0]
        assert np.any(np.all(candidates == vertex, axis=1))
        assert np.all(space.expense(vertex[None, :]) == 0.0)
        for j, given_input in enumerate(space.inputs.values()):
            on_edge = candidates[np.all(np.delete(candidates == vertex, j, axis=1), axis=1)]
            assert np.any(on_edge[:, j] == expensive[j])
            if given_input.continuous:
                assert np.any((on_edge[:, j] > 0.0) & (on_edge[:, j] < 1.0))

    @law
    @given(spaces())
    def test_edges_leave_the_cheap_vertex_one_input_at_a_time(self, space: Space) -> None:
        moved = cheap_edges(space, np.random.default_rng(0)) != space.cheapest()
        assert not moved[0].any()
        assert np.all(moved.sum(axis=1) <= 1)
        assert np.all(moved.any(axis=0))

    def test_they_cover_the_whole_cube_and_gather_around_the_best_points(self) -> None:
        best = np.array([[0.9, 0.85]])
        candidates = candidate_points(cube(2), best, np.random.default_rng(0))
        cells = {tuple(cell) for cell in np.floor(candidates * 5).clip(0, 4).astype(int)}
        assert len(cells) == 25
        near = np.linalg.norm(candidates - best, axis=1) < 0.1
        assert near.mean() > 5 * 0.01 * np.pi

    def test_one_input_of_a_best_point_is_redrawn_over_its_whole_range(self) -> None:
        best = np.array([[0.9, 0.85, 0.4, 0.3]])
        candidates = candidate_points(cube(4), best, np.random.default_rng(0))
        for j in range(4):
            only_this = candidates[np.all(np.delete(candidates == best, j, axis=1), axis=1)]
            assert np.ptp(only_this[:, j]) > 0.5

    def test_no_gap_on_an_edge_of_the_cheap_corner_is_wider_than_its_share(self) -> None:
        levels = cheap_edges(cube(2), np.random.default_rng(3))
        on_first = np.sort(levels[levels[:, 1] == 0.0, 0])
        assert np.diff(on_first).max() < 0.05


class TestStarts:
    def test_the_best_candidate_is_first_and_the_others_are_not_beside_it(self) -> None:
        ranked = np.array([[0.5, 0.5], [0.51, 0.5], [0.5, 0.52], [0.1, 0.5], [0.9, 0.9]])
        assert _spread_out(ranked, 3).tolist() == [[0.5, 0.5], [0.1, 0.5], [0.9, 0.9]]

    def test_a_narrow_hill_on_a_cheap_edge_is_found_though_a_broad_one_has_all_the_best_candidates(self) -> None:
        broad, narrow = bump(np.full(4, 0.4), 0.5), bump(np.array([0.63, 0.0, 0.0, 0.0]), 0.04)
        surface = Plain(lambda units: broad(units) + 1.2 * narrow(units), cube(4))
        assert find(surface, cube(4))[0] == pytest.approx(0.63, abs=1e-2)

    @law
    @given(spaces(of=integers() | categoricals()), st.data())
    def test_a_neighbour_differs_in_one_input_and_can_be_evaluated(self, space: Space, data: st.DataObject) -> None:
        point = space.snap(data.draw(units(space, most=1)))[0]
        (around,) = space.region.neighbours(point[None, :], 0)
        assert len(around) >= space.dimension
        assert np.all((around != point).sum(axis=1) == 1)
        np.testing.assert_allclose(space.snap(around), around, rtol=0, atol=1e-12)

    def test_neighbours_are_the_next_numbers_and_all_other_choices(self) -> None:
        space = Space({"n": Integer(0, 10), "c": Categorical(["a", "b", "c"]), "x": Real(0, 1)})
        point = space.to_unit({"n": 5, "c": "b", "x": 0.3})
        found = [space.from_unit(row) for row in space.region.neighbours(point[None, :], 0)[0]]
        assert {row["n"] for row in found if row["c"] == "b"} >= {4, 6}
        assert {row["c"] for row in found if row["n"] == 5} == {"a", "c"}
        assert all(row["x"] == pytest.approx(0.3) for row in found)


@st.composite
def small_spaces(draw: st.DrawFn) -> Space:
    inputs = draw(st.lists(st.integers(2, 6), min_size=1, max_size=3))
    return Space(
        {
            f"x{j}": Categorical(list(range(size))) if draw(st.booleans()) else Integer(1, size)
            for j, size in enumerate(inputs)
        }
    )


class TestTaken:
    @law
    @given(small_spaces(), st.integers(0, 2**32), st.data())
    def test_a_small_finite_space_is_searched_exhaustively_without_the_taken_points(
        self, space: Space, seed: int, data: st.DataObject
    ) -> None:
        rng = np.random.default_rng(seed)
        grid = space.grid()
        height = rng.random(len(grid))
        taken = rng.random(len(grid)) < data.draw(st.sampled_from([0.0, 0.5, 0.9]))
        assume(not taken.all())

        def look_up(points: Array) -> Array:
            apart = np.abs(points[:, None, :] - grid[None, :, :]).max(axis=2)
            return np.asarray(height[apart.argmin(axis=1)])

        found = find(Plain(look_up, space), space, seed=seed, taken=grid[taken])
        np.testing.assert_array_equal(found, grid[~taken][np.argmax(height[~taken])])

    @law
    @given(small_spaces())
    def test_a_finite_space_with_every_point_taken_is_exhausted_and_says_how_large_it_was(self, space: Space) -> None:
        with pytest.raises(SpaceExhausted, match=f"all {space.size:.0f} points"):
            find(Plain(bump(np.zeros(space.dimension), 1.0), space), space, taken=space.grid())

    @pytest.mark.parametrize("tries", [0, 5000], ids=["by listing", "by random points"])
    def test_the_last_untaken_point_of_a_larger_finite_space_is_found_and_then_it_is_exhausted(
        self, tries: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(maximising, "_LAST_RESORT", tries)
        space = Space({"a": Integer(1, 45), "b": Integer(1, 45)})
        grid = space.grid()
        surface = Plain(bump(np.zeros(2), 0.5), space)
        for seed in range(2):
            last = 1234 + seed
            found = find(surface, space, seed=seed, taken=np.delete(grid, last, axis=0))
            np.testing.assert_allclose(found, grid[last], atol=1e-12)
        with pytest.raises(SpaceExhausted, match="all 2025 points"):
            find(surface, space, taken=grid)

    def test_a_space_too_large_to_list_says_how_many_random_points_were_tried(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, value in (("_EXHAUSTIVE", 300), ("_LISTED", 300), ("_LAST_RESORT", 50)):
            monkeypatch.setattr(maximising, name, value)
        space = Space({"a": Integer(1, 20), "b": Integer(1, 20)})
        with pytest.raises(SpaceExhausted, match=r"nearly all 400 points .* none of 50 random points was new"):
            find(Plain(bump(np.zeros(2), 0.5), space), space, taken=space.grid())

    @pytest.mark.parametrize("seed", range(4))
    def test_the_result_keeps_its_distance_from_taken_points_while_others_are_found(self, seed: int) -> None:
        space, top = cube(2), np.array([0.4, 0.7])
        surface = Plain(bump(top, 0.2), space)
        found = find(surface, space, seed=seed, taken=top[None, :], apart=0.05)
        assert np.abs(found - top).max() > 0.05
        line = cube(1)
        everywhere = np.linspace(0.0, 1.0, 41)[:, None]
        crowded = find(Plain(bump(np.array([0.4]), 0.2), line), line, seed=seed, taken=everywhere, apart=0.05)
        assert 1e-9 < np.abs(everywhere - crowded).min() < 0.05

    @few_examples
    @given(spaces(), st.integers(0, 2**32))
    def test_a_taken_top_is_not_returned(self, space: Space, seed: int) -> None:
        vertex = space.cheapest()
        surface = Plain(bump(vertex, 1e-3), space)
        found = find(surface, space, seed=seed, taken=vertex[None, :])
        assert np.abs(found - vertex).max() > 1e-9


STEEL = Space(
    {
        "nickel": Real(0, 20),
        "soak": Integer(1, 40),
        "quench": Categorical(["air", "oil", "water", "vacuum"]),
        "carbon": Real(0.01, 1, log=True),
    }
)


class TestFixed:
    @few_examples
    @given(spaces(), st.integers(0, 2**32), st.data())
    def test_fixed_coordinates_stay_to_the_bit_and_the_others_can_be_evaluated(
        self, space: Space, seed: int, data: st.DataObject
    ) -> None:
        assume(space.dimension > 1)
        names = data.draw(st.lists(st.sampled_from(space.names), min_size=1, max_size=space.dimension - 1, unique=True))
        point = space.snap(data.draw(units(space, most=1)))[0]
        fixed = {name: float(point[space.names.index(name)]) for name in names}
        wave = 1.0 + np.random.default_rng(seed).random(space.dimension)
        surface = Plain(lambda points: np.sin(5.0 * points @ wave), space)
        found = find(surface, space, seed=seed, best=point[None, :], fixed=fixed)
        assert {name: float(found[space.names.index(name)]) for name in names} == fixed
        np.testing.assert_allclose(space.snap(found[None, :])[0], found, atol=1e-12)

    @pytest.mark.parametrize("fixed", [{}, None])
    def test_nothing_fixed_is_bitwise_the_same_as_no_option(self, fixed: dict[str, float] | None) -> None:
        surface = Plain(bump(np.array([0.3, 0.7]), 0.2), cube(2))
        np.testing.assert_array_equal(find(surface, cube(2), fixed=fixed), find(surface, cube(2)))

    @pytest.mark.parametrize("seed", range(3))
    def test_the_best_point_with_a_category_and_a_number_fixed_is_found(self, seed: int) -> None:
        aim = STEEL.to_unit({"nickel": 7.0, "soak": 23, "quench": "water", "carbon": 0.2})
        at = STEEL.to_unit({"nickel": 12.0, "soak": 1, "quench": "oil", "carbon": 0.2})
        fixed = {"nickel": float(at[0]), "quench": float(at[2])}
        found = STEEL.from_unit(find(Plain(bump(aim, 0.3), STEEL), STEEL, seed=seed, fixed=fixed))
        assert (found["nickel"], found["soak"], found["quench"]) == (12.0, 23, "oil")
        assert found["carbon"] == pytest.approx(0.2, rel=0.03)

    def test_the_best_category_for_fixed_numbers_is_found(self) -> None:
        aim = STEEL.to_unit({"nickel": 7.0, "soak": 23, "quench": "water", "carbon": 0.2})
        fixed = {"nickel": 0.1, "soak": float(aim[1]), "carbon": 0.9}
        found = find(Plain(bump(aim, 0.3), STEEL), STEEL, fixed=fixed)
        assert STEEL.from_unit(found)["quench"] == "water"

    def test_a_taken_point_with_the_same_fixed_values_blocks_and_one_that_differs_in_them_does_not(self) -> None:
        space = Space({"a": Categorical(["x", "y"]), "n": Integer(1, 6)})
        surface = Plain(bump(space.to_unit({"a": "x", "n": 4}), 0.3), space)
        fixed = {"a": float(space.to_unit({"a": "x", "n": 4})[0])}
        elsewhere = np.array([space.to_unit({"a": "y", "n": n}) for n in range(1, 7)])
        assert space.from_unit(find(surface, space, taken=elsewhere, fixed=fixed)) == {"a": "x", "n": 4}
        blocked = np.vstack([elsewhere, space.to_unit({"a": "x", "n": 4})])
        assert space.from_unit(find(surface, space, taken=blocked, fixed=fixed))["n"] in (3, 5)

    def test_distance_from_taken_points_is_kept_along_the_free_inputs(self) -> None:
        top = np.array([0.4, 0.7])
        surface, fixed = Plain(bump(top, 0.2), cube(2)), {"x0": 0.4}
        near = find(surface, cube(2), taken=top[None, :], fixed=fixed, apart=0.05)
        assert abs(near[1] - 0.7) > 0.05
        elsewhere = find(surface, cube(2), taken=np.array([[0.41, 0.7]]), fixed=fixed, apart=0.05)
        assert elsewhere[1] == pytest.approx(0.7, abs=5e-3)

    def test_exhausted_with_fixed_inputs_names_them(self) -> None:
        space = Space({"a": Categorical(["x", "y"]), "n": Integer(1, 3)})
        with pytest.raises(SpaceExhausted, match="every point with these values of a has been suggested"):
            find(Plain(bump(np.zeros(2), 1.0), space), space, taken=space.grid(), fixed={"a": 0.25})


class TestWithConstraints:
    @pytest.mark.parametrize("seed", range(3))
    def test_a_recipe_nearly_as_good_as_the_best_is_found(self, seed: int) -> None:
        best = np.array([0.253, 0.147, 0.1, 0.2, 0.1, 0.1, 0.0, 0.1, 0.0, 0.0])
        surface = Plain(bump(best, 0.3), MIXTURE)
        found = find(surface, MIXTURE, seed=seed)
        assert exactly_inside(MIXTURE, found[None, :])
        assert surface(found[None, :])[0] > 0.97  # of 1; the same search without constraints reaches 0.98

    def test_the_best_of_a_corner_of_counts_is_found(self) -> None:
        names = [f"x{j}" for j in range(12)]
        space = Space({n: Real(0, 1) for n in names}, constraints=[f"count({', '.join(names)}) <= 2"])
        best = np.zeros(12)
        best[[3, 8]] = 0.4, 0.8
        np.testing.assert_allclose(find(Plain(bump(best, 0.5), space), space), best, atol=0.02)

    def test_a_small_space_is_searched_exhaustively_and_then_exhausted(self) -> None:
        space = Space({n: Integer(0, 4) for n in "abc"}, constraints=["a + b + c == 4"])
        grid, found = space.grid(), np.zeros((0, 3))
        for _ in range(15):
            found = np.vstack([found, find(Plain(bump(np.full(3, 0.3), 0.5), space), space, taken=found)])
        assert {tuple(row) for row in found} == {tuple(row) for row in grid}
        with pytest.raises(SpaceExhausted, match="all 15 points"):
            find(Plain(bump(np.full(3, 0.3), 0.5), space), space, taken=found)

    def test_a_space_whose_only_point_is_taken_is_exhausted_though_its_inputs_have_no_steps(self) -> None:
        space = Space({n: Real(0, 1) for n in "ab"}, constraints=["a + b == 1", "a == 0.25"])
        found = find(Plain(bump(np.full(2, 0.3), 0.5), space), space)
        np.testing.assert_allclose(found, [0.25, 0.75], atol=1e-9)
        with pytest.raises(SpaceExhausted, match="none of 5000 random points was new"):
            find(Plain(bump(np.full(2, 0.3), 0.5), space), space, taken=found[None, :])

    def test_with_inputs_fixed_the_others_suit_them(self) -> None:
        surface = Plain(bump(np.full(10, 0.1), 0.3), MIXTURE)
        found = find(surface, MIXTURE, fixed={"x0": 0.301, "x5": 0.0})
        assert exactly_inside(MIXTURE, found[None, :])
        assert found[[0, 5]].tolist() == [0.301, 0.0]

    def test_fixed_values_that_no_point_has_are_refused(self) -> None:
        surface = Plain(bump(np.full(10, 0.1), 0.3), MIXTURE)
        with pytest.raises(InvalidValueError, match="with x0 as given, no point meets"):
            find(surface, MIXTURE, fixed={"x0": 0.5})
