"""The compiled code on disk: found again at the next start, never older than its sources.

Starts are tried out on a tiny package with the real `_jit.py` in it, in processes of their own.
"""

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import pytest

from ra_env import _jit
from ra_env._jit import ENGINE_MODULES

PROJECT = _jit.ENGINE_FOLDER.parent


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """A package with the engine's file names, whose `batch` compiles in a number of `rules`."""
    folder = tmp_path / "engine"
    folder.mkdir()
    for name in ("__init__", *ENGINE_MODULES):
        (folder / f"{name}.py").write_text("")
    shutil.copy(_jit.__file__, folder / "_jit.py")
    (folder / "rules.py").write_text("NUMBER = 1\n")
    (folder / "batch.py").write_text(
        "from engine._jit import njit\n"
        "from engine.rules import NUMBER\n"
        "@njit\n"
        "def add(x):\n"
        "    return x + NUMBER\n"
    )
    return folder


def start(engine: Path, module: str = "engine.batch", **variables: str) -> subprocess.Popen[str]:
    """Start a process that calls the compiled function, and tells what came of it."""
    code = (
        f"import json, {module} as b, engine._jit as j\n"
        "result = b.add(1)\n"
        "stats = b.add.stats\n"
        "print(json.dumps({'result': result, 'folder': str(j.cache_folder(None)),\n"
        "    'loaded': len(stats.cache_hits), 'compiled': len(stats.cache_misses)}))\n"
    )
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "XDG_"))}
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=engine.parent,
        env={**kept, "HOME": str(engine.parent / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
        | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def outcome(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate()
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out)
    return found | {"warnings": err}


def files_in(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(file.relative_to(folder)): (file.stat().st_mtime_ns, file.read_bytes())
        for file in folder.rglob("*")
        if file.is_file()
    }


def loaded(engine: Path) -> ModuleType:
    """The package's `_jit`, loaded into this process."""
    spec = importlib.util.spec_from_file_location("engine_jit", engine / "_jit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def put_a_file_at(path: Path) -> None:
    """No folder can be made there, whoever asks: this is as good as read-only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("not a folder")


# --- one start after the other -------------------------------------------------------------------


@pytest.mark.compiled
def test_the_second_start_compiles_nothing_until_a_source_changes(engine: Path) -> None:
    first = outcome(start(engine))
    assert (first["result"], first["compiled"], first["loaded"]) == (2, 1, 0)
    folder = Path(first["folder"])
    assert folder.parent == engine / "__pycache__"
    kept = files_in(folder)
    assert kept

    second = outcome(start(engine))
    assert (second["result"], second["compiled"], second["loaded"]) == (2, 0, 1)
    assert second["folder"] == first["folder"]
    assert files_in(folder) == kept

    # numba alone would not notice: the function's own file is as it was.
    (engine / "rules.py").write_text("NUMBER = 5\n")
    third = outcome(start(engine))
    assert (third["result"], third["compiled"], third["loaded"]) == (6, 1, 0)
    assert third["folder"] != first["folder"]
    assert files_in(folder) == kept


@pytest.mark.compiled
def test_processes_that_start_together_on_an_empty_cache_do_not_hurt_each_other(
    engine: Path,
) -> None:
    processes = [start(engine) for _ in range(3)]
    assert [outcome(process)["result"] for process in processes] == [2, 2, 2]
    assert outcome(start(engine))["compiled"] == 0


@pytest.mark.compiled
def test_a_read_only_install_uses_the_users_cache_folder(engine: Path) -> None:
    put_a_file_at(engine / "__pycache__")
    user = engine.parent / "user cache"
    first = outcome(start(engine, XDG_CACHE_HOME=str(user)))
    assert Path(first["folder"]).parent == user / "ra-env"
    assert first["result"] == 2
    second = outcome(start(engine, XDG_CACHE_HOME=str(user)))
    assert (second["compiled"], second["loaded"]) == (0, 1)


@pytest.mark.compiled
def test_where_nothing_can_be_written_it_warns_and_works(engine: Path) -> None:
    put_a_file_at(engine / "__pycache__")
    put_a_file_at(engine.parent / "home" / ".cache")
    found = outcome(start(engine))
    assert found["result"] == 2
    assert found["folder"] == "None"
    assert found["warnings"].count("RuntimeWarning: no folder for compiled code can be writ") == 1
    assert "set NUMBA_CACHE_DIR to a folder that can" in found["warnings"]


@pytest.mark.compiled
def test_numbas_own_setting_comes_first(engine: Path) -> None:
    wanted = engine.parent / "here"
    found = outcome(start(engine, NUMBA_CACHE_DIR=str(wanted)))
    assert Path(found["folder"]).parent == wanted
    assert files_in(wanted)
    assert not (engine / "__pycache__").exists()


@pytest.mark.compiled
def test_a_function_that_stands_in_no_file_is_compiled_all_the_same() -> None:
    space: dict[str, Any] = {}
    exec("def double(x):\n    return 2 * x\n", space)
    double = _jit.njit(space["double"])
    assert double(21) == 42
    assert len(double.signatures) == 1
    assert not double.stats.cache_path


def test_numbas_setting_is_as_before_after_a_function_is_compiled(engine: Path) -> None:
    before = numba.config.CACHE_DIR
    jit = loaded(engine)
    jit.njit(start)
    assert before == numba.config.CACHE_DIR
    with pytest.raises(AttributeError):
        jit.njit("no function")
    assert before == numba.config.CACHE_DIR


# --- where the folder lies -----------------------------------------------------------------------


@pytest.fixture
def no_setting(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No folder is asked for by the environment of this test run."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return monkeypatch


def test_the_users_cache_folder_is_in_the_home_unless_told_otherwise(
    engine: Path, no_setting: pytest.MonkeyPatch
) -> None:
    jit = loaded(engine)
    put_a_file_at(engine / "__pycache__")
    no_setting.setenv("HOME", str(engine.parent / "home"))
    folder = jit.cache_folder()
    assert folder.parent == engine.parent / "home" / ".cache" / "ra-env"
    assert folder.is_dir()


@pytest.mark.parametrize("elsewhere", ["relative/folder", "~nobody-of-this-name/cache"])
def test_a_user_without_a_home_needs_none(
    engine: Path, no_setting: pytest.MonkeyPatch, elsewhere: str
) -> None:
    jit = loaded(engine)
    no_setting.setenv("XDG_CACHE_HOME", elsewhere)
    assert jit.cache_folder().parent == engine / "__pycache__"
    shutil.rmtree(engine / "__pycache__")
    put_a_file_at(engine / "__pycache__")
    jit.cache_folder.cache_clear()
    with pytest.warns(RuntimeWarning, match="no folder for compiled code"):
        assert jit.cache_folder() is None


def test_old_folders_go_and_the_last_used_ones_stay(
    engine: Path, no_setting: pytest.MonkeyPatch
) -> None:
    jit = loaded(engine)
    parent = engine / "__pycache__"
    old = [parent / f"ra-env-{age:02}" for age in range(12)]
    for age, folder in enumerate(old):
        folder.mkdir(parents=True)
        (folder / "compiled.nbc").write_text("")
        os.utime(folder, (1000 - age, 1000 - age))
    others = [parent / "other-00", parent / "module.pyc"]
    others[0].mkdir()
    others[1].write_text("")
    own = jit.cache_folder()
    assert set(parent.iterdir()) == {own, *old[: jit.KEPT_FOLDERS - 1], *others}


def test_a_folder_in_use_never_goes(engine: Path, no_setting: pytest.MonkeyPatch) -> None:
    jit = loaded(engine)
    jit.KEPT_FOLDERS = 0
    package = engine.parent / "agents"
    package.mkdir()
    (package / "__init__.py").write_text("")
    folders = {jit.cache_folder(), jit.cache_folder(package)}
    assert len(folders) == 2
    assert set((engine / "__pycache__").iterdir()) == folders


# --- what the folder's name depends on -----------------------------------------------------------


@pytest.mark.parametrize("name", ENGINE_MODULES)
def test_a_change_of_any_engine_source_asks_for_another_folder(engine: Path, name: str) -> None:
    jit = loaded(engine)
    before = jit.fingerprint()
    assert jit.fingerprint() == before
    source = engine / f"{name}.py"
    source.write_text(source.read_text() + "# changed\n")
    assert jit.fingerprint() != before


def test_a_change_elsewhere_does_not(engine: Path) -> None:
    jit = loaded(engine)
    before = jit.fingerprint()
    (engine / "render.py").write_text("")
    assert jit.fingerprint() == before


@pytest.mark.parametrize("switch", ["BOUNDSCHECK", "OPT", "FULL_TRACEBACKS"])
def test_the_compilers_switches_have_folders_of_their_own(
    switch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _jit.fingerprint()
    monkeypatch.setattr(numba.config, switch, 0 if getattr(numba.config, switch) else 1)
    assert _jit.fingerprint() != before


def test_so_do_the_versions_of_python_and_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {_jit.fingerprint()}
    with monkeypatch.context() as patch:
        patch.setattr(numba, "__version__", "0.0")
        names.add(_jit.fingerprint())
    monkeypatch.setattr(_jit.platform, "python_version", lambda: "4.0.0")
    names.add(_jit.fingerprint())
    assert len(names) == 3


def test_another_package_depends_on_its_own_sources_and_the_engines(engine: Path) -> None:
    jit = loaded(engine)
    package = engine.parent / "agents"
    (package / "deep").mkdir(parents=True)
    for module in ("__init__", "one", "deep/__init__", "deep/two"):
        (package / f"{module}.py").write_text("")
    for source in (package / "one.py", package / "deep" / "two.py"):
        assert jit._package_folder(source) == package
    names = [jit.fingerprint(package)]
    for source in (package / "one.py", package / "deep" / "two.py", engine / "rules.py"):
        source.write_text("# changed\n")
        names.append(jit.fingerprint(package))
    assert len({*names, jit.fingerprint()}) == 5


def test_all_but_the_engine_depends_on_the_agents_too(engine: Path) -> None:
    jit = loaded(engine)
    agents, package = engine.parent / "agents", engine.parent / "mine"
    for folder in (agents, package):
        folder.mkdir()
        (folder / "__init__.py").write_text("")
    places = [engine / "batch.py", engine.parent / "script.py", package / "one.py"]
    before = [jit.fingerprint(jit._package_folder(source)) for source in places]
    assert len(set(before)) == 3
    (agents / "clever.py").write_text("# changed\n")
    after = [jit.fingerprint(jit._package_folder(source)) for source in places]
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False, False]


@pytest.mark.compiled
def test_a_script_is_compiled_anew_when_an_agent_changes_that_it_calls(engine: Path) -> None:
    agents = engine.parent / "agents"
    agents.mkdir()
    (agents / "__init__.py").write_text("")
    script = engine.parent / "script.py"
    script.write_text(
        "from agents.clever import NUMBER\n"
        "from engine._jit import njit\n"
        "@njit\n"
        "def add(x):\n"
        "    return x + NUMBER\n"
    )
    found = []
    for number in (1, 1, 5):
        (agents / "clever.py").write_text(f"NUMBER = {number}\n")
        result = outcome(start(engine, module="script"))
        found.append((result["result"], result["compiled"], result["loaded"]))
    assert found == [(2, 1, 0), (2, 0, 1), (6, 1, 0)]


# --- whether the list of engine modules is right -------------------------------------------------


@cache
def tree_of(source: Path) -> ast.Module:
    return ast.parse(source.read_text(encoding="utf-8"))


def imports_of(source: Path) -> dict[str, tuple[str, str]]:
    """Every name that a file imports from this project: its package and module."""
    found = {}
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            package, _, module = node.module.partition(".")
            for alias in node.names:
                found[alias.asname or alias.name] = (package, module or alias.name)
    return {name: where for name, where in found.items() if (PROJECT / where[0]).is_dir()}


def is_compiled(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(decorator, ast.Name) and decorator.id == "njit"
        for decorator in node.decorator_list
    )


def without_annotations(node: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a statement that compiled code is made of."""
    if isinstance(node, ast.FunctionDef):
        for statement in node.body:
            yield from ast.walk(statement)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        yield from ast.walk(node.value)


def compiled_in(source: Path) -> set[tuple[str, str]]:
    """The modules whose functions or constants go into the compiled functions of a file, straight
    or by way of the file's own constants and functions."""
    defined: dict[str, ast.stmt] = {}
    todo: list[ast.stmt] = []
    for node in tree_of(source).body:
        if isinstance(node, ast.FunctionDef):
            defined[node.name] = node
        elif isinstance(node, ast.Assign):
            defined |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            defined[node.target.id] = node
        if is_compiled(node):
            todo.append(node)
    imported = imports_of(source)
    found, done = set(), set()
    while todo:
        node = todo.pop()
        if node in done:
            continue
        done.add(node)
        for part in without_annotations(node):
            if isinstance(part, ast.Name) and part.id in defined:
                todo.append(defined[part.id])
            elif isinstance(part, ast.Name) and part.id in imported:
                found.add(imported[part.id])
    return found


def test_the_list_holds_exactly_what_compiled_code_is_made_of() -> None:
    """Whatever goes into compiled code of any module of this package, and all that it imports."""
    needed = {"_jit"}
    todo = [
        module
        for source in _jit.ENGINE_FOLDER.glob("*.py")
        for package, module in compiled_in(source)
        if package == "ra_env" and module != source.stem
    ]
    assert len(todo) > 20
    while todo:
        module = todo.pop()
        if module not in needed:
            needed.add(module)
            imported = imports_of(_jit.ENGINE_FOLDER / f"{module}.py").values()
            todo += [name for package, name in imported if package == "ra_env"]
    assert set(ENGINE_MODULES) == needed
    assert len(ENGINE_MODULES) == len(needed)


@pytest.mark.parametrize("package", ["agents", "training", "benchmarks"])
def test_compiled_code_of_other_packages_is_made_of_what_its_fingerprint_covers(
    package: str,
) -> None:
    """Of themselves, of the bundled agents and of the engine."""
    sources = sorted((PROJECT / package).rglob("*.py"))
    if not sources:
        pytest.skip(f"{package} is not in this checkout")
    for source in sources:
        for where, module in compiled_in(source):
            is_engine = where == "ra_env" and module in ENGINE_MODULES
            assert where in (package, "agents") or is_engine, source
