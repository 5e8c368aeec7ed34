# The short way in. Everyday work: ./dev help
.PHONY: demo test lint build program wheel packages check-packages clean dependencies test-dependencies

demo: dependencies
	@cmake --preset release -DFRX_BUILD_TESTS=OFF >/dev/null
	@cmake --build --preset release --target frx
	@echo
	@build/release/frx profile --ncu demos/ncu/strided_copy.csv --explain --explain-out build/demo
	@echo
	@echo "The brief for a person or a language model lies in build/demo:"
	@ls -1 build/demo

# What only tests need, their compiler among it, is installed while the program is built; the second configuration finds it.
test: dependencies
	@$(MAKE) --no-print-directory -j2 test-dependencies program
	@$(MAKE) --no-print-directory build
	@tools/run_tests

# What needs no build; the rest of ./dev lint is in the tests.
lint:
	@tools/install_dependencies.sh clang-format shellcheck
	@./dev lint --sources

# The Python SDK: docs/sdk.md
wheel:
	@tools/install_dependencies.sh --wheel
	@tools/build_wheel

# Tarball, wheel and Debian packages: docs/install.md
packages: dependencies
	@tools/install_dependencies.sh --packages
	@tools/build_packages

check-packages: dependencies
	@tools/install_dependencies.sh --packages
	@tools/check_packages

build: dependencies
	@cmake --preset dev
	@cmake --build --preset dev

program: dependencies
	@cmake --preset dev
	@cmake --build --preset dev --target frx libfrx

clean:
	@rm -rf build

dependencies:
	@tools/install_dependencies.sh

test-dependencies:
	@tools/install_dependencies.sh --tests
