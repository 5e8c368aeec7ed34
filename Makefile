# The short way in. Everyday work: ./dev help
.PHONY: demo test build clean dependencies

demo: dependencies
	@cmake --preset release -DFRX_BUILD_TESTS=OFF >/dev/null
	@cmake --build --preset release --target frx
	@echo
	@build/release/frx profile --ncu demos/ncu/strided_copy.csv --explain --explain-out build/demo
	@echo
	@echo "The brief for a person or a language model lies in build/demo:"
	@ls -1 build/demo

test: build
	@ctest --preset dev

build: dependencies
	@cmake --preset dev
	@cmake --build --preset dev

clean:
	@rm -rf build

dependencies:
	@tools/install_dependencies.sh
