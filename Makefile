SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

SWIFT ?= swift
PREFIX ?= /usr/local
DESTDIR ?=
# The video of `make demo`. Handed to the recipes through the environment, so that it may hold spaces.
INPUT ?= Samples/clip.mp4
export INPUT PREFIX DESTDIR
# Whether .flo5 files are part of the build; 0 leaves them out. Looked at anew for every recipe: `deps` may bring HDF5.
RHEO_HDF5 ?= $(shell pkg-config --exists hdf5 2>/dev/null && echo 1 || echo 0)
export RHEO_HDF5

# Tests reach the modules' internals, which `-enable-testing` opens also in release mode; a build folder of
# its own keeps the two kinds of build from undoing each other.
TEST_FLAGS := -c release -Xswiftc -enable-testing --scratch-path .build_tests
# Sanitizers change every module, so each has a folder of its own.
SANITIZE_FLAGS := -c release -Xswiftc -enable-testing
SWIFT_SOURCES := Package.swift $(wildcard Sources Tests Samples Packaging)

.PHONY: help deps build demo test sanitize lint manifests format bench compare compare-triggers dependent scenes report-check zones-check schemas-check documents-check endurance interop faults fuzz fuzz-media \
  fuzz-parsers docs \
  wheel python-check cluster cluster-check python-debian samples install uninstall stage deb deb-check tarball \
  debian13 arm64 install-check bill-of-materials clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-17s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the system libraries that are missing (Debian, Ubuntu; elsewhere: say which)
	@.ci/install-deps

# `sudo make install` builds with the toolchain that is noted here: sudo's PATH seldom has it.
build: deps ## build the library and the rheo program, optimised
	$(SWIFT) build -c release
	@command -v $(SWIFT) > .build/swift-program

demo: deps build ## annotate the sample clip, or INPUT="my video.mp4", into demo/
	@mkdir -p demo
	@name=$$(basename "$$INPUT"); name=$${name%.*}; \
	video="$$PWD/demo/$$name-flow.mp4"; sheet="$$PWD/demo/$$name-flow.png"; \
	"$$($(SWIFT) build -c release --show-bin-path)/rheo" annotate "$$INPUT" "$$video" --contact-sheet "$$sheet" --overwrite; \
	printf '%s\n' "$$video" "$$sheet"

# Built by `swift build`: `swift test` adds a flag of its own, for which all that was built so far would be built again.
test: deps ## run all tests, optimised
	$(SWIFT) build --build-tests $(TEST_FLAGS)
	@$(SWIFT) test $(TEST_FLAGS) --skip-build 2>&1 | tee .build_tests/tests.log || \
	  { echo 'What failed:'; grep -E '✘|Fatal error|crashed' .build_tests/tests.log; exit 1; }
	@.ci/tests-skipped .build_tests/tests.log

# The thread sanitizer sees the locks of Imaging alone (see Mutex+ThreadSanitizer.swift), so it watches what takes no others.
sanitize: deps ## thread sanitizer over concurrent handlers; address and leak sanitizers over the library's tests
	$(SWIFT) test $(SANITIZE_FLAGS) --sanitize=thread -Xswiftc -DSANITIZE_THREAD --scratch-path .build_tsan \
	  --filter 'ConcurrentHandlersTests|ParallelismTests|PlaneMemoryTests'
	SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=1:handle_sigill=1 \
	  LSAN_OPTIONS=suppressions=$(CURDIR)/.ci/known-leaks:print_suppressions=0 \
	  $(SWIFT) test $(SANITIZE_FLAGS) --sanitize=address --scratch-path .build_asan \
	  --skip CommandLineTests --skip DamagedFilesTests

dependent: deps ## build a package that depends on this one by version, plainly and with the fast kernels
	Tests/Dependent/check

report-check: deps ## open the pages of `rheo detect --report` in headless Chromium (installs it)
	$(SWIFT) build $(TEST_FLAGS) --product rheo
	Tests/ReportPage/check "$$($(SWIFT) build $(TEST_FLAGS) --show-bin-path)/rheo"

.venv-zones/ready: Tests/ZonesPage/requirements.txt | python3
	python3 -m venv .venv-zones
	.venv-zones/bin/pip install --quiet -r $<
	@touch $@

zones-check: deps .venv-zones/ready ## draw on the page of `rheo zones` in headless Chromium (installs it), with mouse and keys
	$(SWIFT) build $(TEST_FLAGS) --product rheo
	.venv-zones/bin/python Tests/ZonesPage/check.py --rheo "$$($(SWIFT) build $(TEST_FLAGS) --show-bin-path)/rheo" \
	  --browser "$$(Tests/ReportPage/browser)"

.venv-schemas/ready: Tests/Schemas/requirements.txt | python3
	python3 -m venv .venv-schemas
	.venv-schemas/bin/pip install --quiet -r $<
	@touch $@

schemas-check: deps .venv-schemas/ready ## the JSON that rheo writes and reads against docs/schemas
	$(SWIFT) build $(TEST_FLAGS) --product rheo
	.venv-schemas/bin/python Tests/Schemas/check.py --rheo "$$($(SWIFT) build $(TEST_FLAGS) --show-bin-path)/rheo"

documents-check: deps build ## runs every rheo command of README.md, docs and the help
	python3 Tests/Documents/check.py --rheo "$$($(SWIFT) build -c release --show-bin-path)/rheo"

endurance: deps build ## 200,000 frames through `rheo detect`, 100,000 through each other command: memory stays flat (an hour)
	Tests/Endurance/detect_day.py --rheo "$$($(SWIFT) build -c release --show-bin-path)/rheo" --clip Samples/clip.mp4
	Tests/Endurance/long_streams.py --rheo "$$($(SWIFT) build -c release --show-bin-path)/rheo" --clip Samples/clip.mp4

# Compilers before Swift 6.2 take the manifest of their version: the same one but for its first line.
OLDER_MANIFEST := Package@swift-6.0.swift

lint: ## check the format of the sources, the length of lines, and who imports whom
	$(SWIFT) format lint --strict --parallel --recursive $(SWIFT_SOURCES)
	.ci/lint-imports
	.ci/lint-lines
	@diff <(sed '1s/6\.2/6.0/' Package.swift) $(OLDER_MANIFEST) || { echo "make manifests writes $(OLDER_MANIFEST) anew" >&2; exit 1; }

manifests: ## write the manifest for older compilers anew, after a change of Package.swift
	sed '1s/6\.2/6.0/' Package.swift > $(OLDER_MANIFEST)

format: ## format the sources in place
	$(SWIFT) format format --in-place --parallel --recursive $(SWIFT_SOURCES)

bench: deps ## run the benchmarks
	$(SWIFT) run -c release Benchmarks

.PHONY: python3
python3:
	@python3 -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "this target needs Python 3 with venv: apt install python3-venv" >&2; exit 1; }

# Where the published images and clips are; see Tests/TestSupport.
RHEO_TESTDATA ?= $(CURDIR)/../shared/data
COMPARISON := .venv-compare/bin/python

.venv-compare/ready: Tests/Comparison/requirements.txt | python3
	python3 -m venv .venv-compare
	.venv-compare/bin/pip install --quiet -r $<
	@touch $@

# DVR-Scan brings another OpenCV than that of the other comparisons.
.venv-dvr-scan/ready: Tests/Comparison/dvr_scan_requirements.txt | python3
	python3 -m venv .venv-dvr-scan
	.venv-dvr-scan/bin/pip install --quiet -r $<
	@touch $@

compare-triggers: deps build .venv-dvr-scan/ready ## measure `rheo detect` against DVR-Scan on the same clips
	@python3 Tests/Comparison/compare_triggers.py --dvr-scan .venv-dvr-scan/bin/dvr-scan \
	  --rheo "$$($(SWIFT) build -c release --show-bin-path)/rheo" --data "$(RHEO_TESTDATA)"

compare: deps build .venv-compare/ready compare-triggers ## measure against OpenCV and others on the same images, in one run
	@rheo="$$($(SWIFT) build -c release --show-bin-path)/rheo"; \
	$(COMPARISON) Tests/Comparison/compare_flow.py --rheo "$$rheo" --data "$(RHEO_TESTDATA)" --threads 1 2; \
	$(COMPARISON) Tests/Comparison/compare_threads.py --rheo "$$rheo" --data "$(RHEO_TESTDATA)"; \
	$(COMPARISON) Tests/Comparison/compare_registration.py --rheo "$$rheo" --data "$(RHEO_TESTDATA)"; \
	$(COMPARISON) Tests/Comparison/compare_pipeline.py --rheo "$$rheo" --video "$(RHEO_TESTDATA)/security/vtest.avi"; \
	$(COMPARISON) Tests/Comparison/compare_stabilization.py --rheo "$$rheo" --data "$(RHEO_TESTDATA)"; \
	for part in large_flow times borders masks tracks track_versions boxes detections; do \
	  $(COMPARISON) "Tests/Comparison/compare_$$part.py" --rheo "$$rheo" --data "$(RHEO_TESTDATA)"; \
	done

scenes: deps build .venv-compare/ready ## events in drawn scenes of weather, restless things, visitors (long)
	$(COMPARISON) Tests/DetectionScenes/measure.py --rheo "$$($(SWIFT) build -c release --show-bin-path)/rheo" \
	  --data "$(RHEO_TESTDATA)" --half tune --half check --half held-out --half third

.venv-interop/ready: Tests/Interoperability/requirements.txt | python3
	python3 -m venv .venv-interop
	.venv-interop/bin/pip install --quiet -r $<
	@touch $@

interop: deps .venv-interop/ready ## flow files to and from NumPy, OpenCV, imageio, Pillow, h5py; tracks to other tools
	$(SWIFT) build $(TEST_FLAGS) --product rheo
	@rheo="$$($(SWIFT) build $(TEST_FLAGS) --show-bin-path)/rheo"; \
	.venv-interop/bin/python Tests/Interoperability/flow_formats.py --rheo "$$rheo" --data "$(RHEO_TESTDATA)"; \
	.venv-interop/bin/python Tests/Interoperability/check_metrics.py --rheo "$$rheo" --data "$(RHEO_TESTDATA)"; \
	.venv-interop/bin/python Tests/Interoperability/track_formats.py --rheo "$$rheo"

faults: deps build ## let every n-th system call fail (needs strace), end runs early, let the clock jump (an hour)
	@command -v strace >/dev/null || { echo "make faults needs strace" >&2; exit 1; }
	Tests/Faults/inject.py --rheo "$$($(SWIFT) build -c release --show-bin-path)/rheo" --clip Samples/clip.mp4
	Tests/Faults/end_early.py --rheo "$$($(SWIFT) build -c release --show-bin-path)/rheo" --clip Samples/clip.mp4
	Tests/Faults/clock_jumps.py --rheo "$$($(SWIFT) build -c release --show-bin-path)/rheo" --clip Samples/clip.mp4

# With the address sanitizer, and with counters of what was reached, which libFuzzer goes by.
FUZZ_FLAGS := $(SANITIZE_FLAGS) --sanitize=address --scratch-path .build_fuzz \
  -Xswiftc -sanitize-coverage=edge,inline-8bit-counters,pc-table
# The libFuzzer that comes with the compiler, without its own `main`.
CLANG_LIBRARIES = $(dir $(realpath $(shell command -v swiftc)))../lib/clang/*/lib/linux
LIBFUZZER = $(firstword $(wildcard $(CLANG_LIBRARIES)/libclang_rt.fuzzer_no_main-$(shell uname -m).a))
FUZZ_COUNT ?= 100000
MEDIA_FUZZ_COUNT ?= 20000

fuzz: deps fuzz-parsers fuzz-media ## damaged flow files, texts (libFuzzer) and videos, with the address sanitizer (hours)
	$(SWIFT) run -c release FormatFuzz --count $(FUZZ_COUNT)

fuzz-media: deps ## 20,000 damaged videos (MEDIA_FUZZ_COUNT) through the library, with the address sanitizer
	$(SWIFT) build $(FUZZ_FLAGS) --product MediaFuzz
	ASAN_OPTIONS=detect_leaks=0 nice "$$($(SWIFT) build $(FUZZ_FLAGS) --show-bin-path)/MediaFuzz" --count $(MEDIA_FUZZ_COUNT)

fuzz-parsers: deps ## 100,000 texts (FUZZ_COUNT) for each of our own parsers, by coverage
	@test -n "$(LIBFUZZER)" || { echo "this compiler comes without libFuzzer" >&2; exit 1; }
	RHEO_FUZZ=1 $(SWIFT) build $(FUZZ_FLAGS) -Xlinker "$(LIBFUZZER)" -Xlinker -lstdc++ --product ParserFuzz
	@program="$$(RHEO_FUZZ=1 $(SWIFT) build $(FUZZ_FLAGS) --show-bin-path)/ParserFuzz"; \
	for parser in $$("$$program"); do \
	  echo "==> $$parser"; \
	  SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0:handle_sigill=1 "$$program" "$$parser" -runs=$(FUZZ_COUNT) \
	    -seed=1 -max_len=4096 -timeout=20 -rss_limit_mb=4096 -verbosity=0 -print_final_stats=1; \
	done

# The Python package, made in a virtual environment of its own.
PYTHON := $(CURDIR)/.venv-python/bin

.venv-python/ready: Python/requirements.txt | python3
	python3 -m venv .venv-python
	$(PYTHON)/pip install --quiet -r $<
	@touch $@

wheel: deps .venv-python/ready ## the Python package rheo-flow as one wheel in dist/, with librheo.so inside
	rm -rf dist/plain dist/*.whl Python/rheo/licenses
	Python/build-library Python/rheo
	$(PYTHON)/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist/plain ./Python
	PATH="$(PYTHON):$$PATH" auditwheel repair --wheel-dir dist dist/plain/rheo_flow-*.whl
	rm -r dist/plain

.venv-cluster/ready: Python/rheo_cluster/pyproject.toml
	python3 -m venv .venv-cluster
	.venv-cluster/bin/pip install --quiet --editable 'Python/rheo_cluster[test]'
	@touch $@

cluster: .venv-cluster/ready ## the Python package rheo-cluster, with Ray, in .venv-cluster

cluster-check: deps cluster ## type checks of rheo-cluster, and its tests on three nodes of this machine
	$(SWIFT) build $(TEST_FLAGS) --product rheo
	cd Python/rheo_cluster && ../../.venv-cluster/bin/mypy
	rheo="$$($(SWIFT) build $(TEST_FLAGS) --show-bin-path)/rheo" && \
	  cd Python/rheo_cluster && RHEO="$$rheo" ../../.venv-cluster/bin/python -m pytest

python-check: wheel ## type checks of the Python package, and its tests with the wheel in a fresh environment
	$(SWIFT) build -c release --product rheo
	cd Python && $(PYTHON)/mypy && $(PYTHON)/pyright --pythonpath $(PYTHON)/python
	Python/check-wheel dist/rheo_flow-*.whl "$$($(SWIFT) build -c release --show-bin-path)/rheo"

python-debian: ## the wheel of make wheel on a bare Debian 12 (needs root and debootstrap)
	Python/check-debian dist/rheo_flow-*.whl

DOCUMENTED := Imaging OpticalFlow Registration FlowAnalysis FlowFormats FlowRendering MotionDetection ObjectTracking SceneSynthesis VideoIO Rheo

# A module's symbols reach the documentation by way of symbol graphs, which also tell what has none.
docs: deps ## write the documentation of all modules into .build_docs/docs; a warning is an error
	@mkdir -p .build_docs/docs
	@export RHEO_DOCS=1; for module in $(DOCUMENTED); do \
	  echo "==> $$module"; \
	  $(SWIFT) package --scratch-path .build_docs --allow-writing-to-directory .build_docs/docs generate-documentation \
	    --target $$module --warnings-as-errors --output-path .build_docs/docs/$$module.doccarchive; \
	done
	@.ci/undocumented $$(find .build_docs -path '*extracted-symbols*' -name '*.symbols.json' ! -name '*@*')

samples: deps build ## draw Samples/clip.mp4 and the README's image anew, build and run the sample programs
	@mkdir -p demo
	@rheo="$$($(SWIFT) build -c release --show-bin-path)/rheo"; \
	"$$rheo" synthesize Samples/clip.mp4 --scene demo --crf 26 --overwrite; \
	for style in overlay flowview arrows wheel; do \
	  "$$rheo" annotate Samples/clip.mp4 demo/$$style.mkv --style $$style --codec ffv1 --frames 60 --overwrite --quiet; \
	done; \
	ffmpeg -v error -y -i demo/overlay.mkv -i demo/flowview.mkv -i demo/arrows.mkv -i demo/wheel.mkv -filter_complex \
	  '[0][1][2][3]xstack=inputs=4:layout=0_0|w0_0|0_h0|w0_h0,select=eq(n\,58),scale=1120:-2:flags=lanczos' \
	  -frames:v 1 -q:v 3 Samples/styles.jpg
	@run() { echo "==> $$1"; $(SWIFT) run -c release --skip-build "$$@"; }; \
	run CameraLoop; \
	run ContactSheet Samples/clip.mp4 demo/ContactSheet.png; \
	run FlowVideo Samples/clip.mp4 demo/FlowVideo.mp4; \
	run MeanMotion Samples/clip.mp4; \
	run MotionTrigger Samples/clip.mp4; \
	run OwnFrames Samples/clip.mp4; \
	run Panorama demo/Panorama.png Samples/clip.mp4; \
	ffmpeg -v error -y -i Samples/clip.mp4 -vf "select=gte(n\,58)" -frames:v 2 demo/frame%d.png; \
	run ImageFlow demo/frame1.png demo/frame2.png demo/ImageFlow.png; \
	run SteadyVideo Samples/clip.mp4 demo/SteadyVideo.mp4

# What is installed and packed, with Swift's runtime linked in; see Packaging.
STAGE := .build_install/stage

install: ## build and install rheo with its manual and completions under PREFIX (/usr/local), below DESTDIR if that is set
	@Packaging/install

uninstall: ## remove what make install put under PREFIX
	@Packaging/install --remove

stage: deps
	Packaging/stage $(STAGE)

deb: stage ## a Debian package in dist/ (needs dpkg-dev)
	Packaging/deb $(STAGE)

tarball: stage ## the same files as an archive in dist/ that runs wherever it is unpacked
	Packaging/tarball $(STAGE)

deb-check: deb ## lintian over the package; on a bare Debian 12 it is installed, tried, removed (root, lintian, debootstrap)
	lintian --info --fail-on error dist/rheo_*.deb
	Packaging/check-debian dist/rheo_*.deb

debian13: ## README.md and all tests on a bare Debian 13, with nothing but apt (needs root and debootstrap); SYSTEM=FOLDER keeps it
	Packaging/check-debian13 $(SYSTEM)

arm64: ## rheo for arm64, its digests against those of x86-64 (needs root, debootstrap, qemu-user-static); SYSTEM=FOLDER keeps it
	Packaging/check-arm64 $(SYSTEM)

install-check: tarball ## tries make install, make uninstall and the archive (needs root)
	Packaging/check-install
	Packaging/check-tarball dist/rheo-*-linux-*.tar.gz

.venv-packaging/ready: Packaging/requirements.txt | python3
	python3 -m venv .venv-packaging
	.venv-packaging/bin/pip install --quiet -r $<
	@touch $@

bill-of-materials: stage .venv-packaging/ready ## the CycloneDX list of what rheo holds and links, in dist/ (Debian)
	@mkdir -p dist
	.venv-packaging/bin/python Packaging/bill_of_materials.py $(STAGE)/bin/rheo dist/rheo-$$(Packaging/version).cdx.json

clean: ## remove what was built
	rm -rf .build .build_tests .build_tsan .build_asan .build_fuzz .build_install .build_c dist demo
	rm -rf Python/rheo/librheo.so Python/rheo/rheo.h Python/rheo/licenses
