# Two commands matter: `make run` (install, demo) and `make test` (install, all tests). `make help` lists the rest.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
TESTED := $(VENV)/.installed-for-tests
FRAMEWORKS := $(VENV)/.installed-frameworks
ORACLE_PACKAGES := llvm-19 binutils gcc g++ gdb binutils-aarch64-linux-gnu gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user libxsmm-dev python3-peachpy gfortran cmake pkg-config

# Tests start dozens of programs in Python, which else compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run test check soak mutants arm oracles golden bench ulp fuzz docs pictures site explore-check sizes wheel wheel-check clean

help:            ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## */\t/' | expand -t 13

$(STAMP): setup.cfg pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(TESTED): $(STAMP)
	$(BIN)/python -m pip install --quiet --editable '.[test,newer]'
	touch $@

# PyTorch, JAX, ONNX and ONNX Runtime for the CPU: half a GB, which other targets do not need.
$(FRAMEWORKS): $(TESTED) tests/oracles/frameworks.py
	$(BIN)/python -m tests.oracles.frameworks
	touch $@

run: $(STAMP)    ## install into .venv and run the main job: build, call, check and time BRGEMM kernels
	$(BIN)/tilesmith demo

test: $(FRAMEWORKS) oracles   ## install into .venv, with the oracles, and pass every test
	$(BIN)/python -m pytest -n auto --dist worksteal

check: $(TESTED)  ## ruff, mypy, architecture test, fast tests: under a minute
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy --config-file setup.cfg -p tilesmith & typed=$$!; \
	$(BIN)/python -m pytest -n auto --dist worksteal --fast; passed=$$?; \
	wait $$typed && exit $$passed

# In slices: ROOM=tests/microkernels/fused for the tests of a folder, SHARE=0.01 for a hundredth of the draws, MINUTES=30
# for each of the two programs, which continue in the next run; with MINUTES=0 they print what is known.
ROOM ?= tests
SHARE ?= 1
MINUTES ?= inf
soak: $(FRAMEWORKS) oracles   ## days: every test with many draws, and all that `make test` takes a slice of
	$(BIN)/python -m pip install --quiet ray || echo "ray: pip cannot install it; its test is skipped"
	HYPOTHESIS_PROFILE=soak TILESMITH_SOAK_SHARE=$(SHARE) TILESMITH_COLUMNS=all $(BIN)/python -m pytest -n auto --dist worksteal --draws 200 $(ROOM)
	$(MAKE) explore-check site
	$(BIN)/python -m tests.mutants_of_kernels --seed 1 --all --quiet --minutes $(MINUTES)
	$(BIN)/python -m tests.pairs_of_requests --seed 1 --count 100000 --minutes $(MINUTES)

mutants: $(TESTED) oracles ## how strong the tests are: 240 changes of the code, each against the tests of its module
	$(BIN)/python -m tests.mutants --seed 1

arm: $(TESTED) oracles    ## the native path of AArch64: tests and demo in an arm64 Python under qemu, which it fetches
	$(BIN)/python -m tests.arm.native

oracles:         ## Debian packages that the tests compare with (root), a newer emulator; nothing to do when present
	@dpkg -s $(ORACLE_PACKAGES) >/dev/null 2>&1 || { apt-get update -qq && apt-get install -y -qq --no-install-recommends $(ORACLE_PACKAGES); }
	@$(PYTHON) -m tests.arm.emulator

golden: $(TESTED) oracles ## regenerate tests/golden from the oracles; `git diff` shows what changed
	$(BIN)/python -m pytest tests/encoder -k golden --update-golden

bench: $(STAMP) oracles  ## speed, with peers, in one run
	$(BIN)/tilesmith bench gemm

ulp: $(TESTED)    ## the largest error of every activation over all 2^32 f32: minutes for each; writes docs/numerics.md
	$(BIN)/python -m tests.ulp.sweep --write

fuzz: $(TESTED) oracles   ## 200 draws for every form of every row against the assemblers (resumes), and wrong operands
	$(BIN)/python -m tests.encoder.fuzz --seed 1 --resume --arch x86
	$(BIN)/python -m tests.encoder.fuzz --seed 1 --resume --arch a64
	$(BIN)/python -m tests.encoder.wrong_operands --seed 1

docs: $(STAMP)   ## rewrite what is written: editor stubs, the pages of all instructions, the measured tables of docs
	$(BIN)/python -m tilesmith.encoder.x86.stubs
	$(BIN)/python -m tilesmith.encoder.x86.reference > docs/instructions-x86.md
	$(BIN)/python -m tilesmith.encoder.a64.stubs
	$(BIN)/python -m tilesmith.encoder.a64.reference > docs/instructions-a64.md
	$(BIN)/python -m tests.results

pictures: $(STAMP) ## draw the measured tables and claims of docs/pictures, with matplotlib
	$(BIN)/python -m pip install --quiet --editable '.[plot]'
	$(BIN)/python -m tests.results draw
	$(BIN)/python -m tilesmith papers --draw docs/pictures

site: $(FRAMEWORKS) ## the pages of docs/, of all public names and of ten kernels as HTML: .build/site/html/index.html
	$(BIN)/python -m pip install --quiet --editable '.[site]'
	$(BIN)/python -m docs.site.build

explore-check: $(TESTED) ## the explorer in headless Chromium, and in Pyodide under node, which it fetches: the same answers
	@command -v chromium node npm >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium nodejs npm; }
	npm install --silent --no-audit --no-fund --prefix .build/explorer pyodide@314.0.7 playwright-core@1
	CI=true TILESMITH_GRIDS=all $(BIN)/python -m pytest -s tests/runtime/explorer/test_in_browsers.py

sizes:           ## lines, modules and functions of each folder
	@$(PYTHON) -m tests.sizes

wheel: $(STAMP)  ## build the two wheels into dist/
	$(BIN)/python -m tests.wheel

# PYTHONS="3.10 3.14" tries these only.
PYTHONS ?=
wheel-check: $(TESTED) ## build them, check them by twine, and try them in new environments of Python 3.10 to 3.14
	$(BIN)/python -m tests.wheel --check $(PYTHONS)

clean:           ## remove what make built
	rm -rf $(VENV) .build build dist *.egg-info
