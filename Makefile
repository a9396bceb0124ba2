# Two commands do everything on a fresh machine: `make demo` and `make test`.
.PHONY: demo test bench peers dist docs fuzz serve page test-page test-api test-engines test-spark python wheel tools web-tools browser python-tools postgres duckdb sail spark

# Built in a minute or two: barely optimized, and without Parquet, since the table is CSV. `make dist` builds the program to distribute.
RUN_INCROWD = cargo run --quiet --profile demo --package incrowd-cli --no-default-features --

demo: tools ## Anonymize the bundled Adult table; release and certificate appear in out/
	@mkdir -p out
	$(RUN_INCROWD) anonymize data/adult/adult.csv \
		--quasi-identifiers age,sex,race,education,marital-status \
		--sensitive hours-per-week --others drop \
		--hierarchies data/adult/hierarchies \
		-k 5 --max-suppressed 1% --sample 6 \
		--output out/adult-safe.csv --certificate out/adult-certificate.json
	@if [ -d $(WEB) ] && command -v npm >/dev/null; then $(MAKE) --no-print-directory page; fi
	@echo "The same in the browser: make serve"

# Everything that is off by default.
FEATURES = incrowd-cli/server,incrowd-cli/postgres,incrowd-cli/duckdb,incrowd-cli/spark

# A single full build gains nothing from incremental compilation.
test: export CARGO_INCREMENTAL = 0
test: tools page browser python-tools postgres duckdb sail ## Everything CI runs
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --features $(FEATURES) -- -D warnings
	cargo clippy --package incrowd-cli --no-default-features -- -D warnings
	cargo test --workspace --exclude incrowd-py --features $(FEATURES)
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet --features incrowd-job/arrow,$(FEATURES)
	cd $(WEB) && npm run --silent check && npm run --silent unit
	cd $(WEB) && INCROWD=$(TARGET)/debug/incrowd npm run --silent e2e
	INCROWD=$(TARGET)/debug/incrowd crates/incrowd-server/tests/schemathesis.sh
	$(MAKE) --no-print-directory python INCROWD=$(TARGET)/debug/incrowd

# The page of the workbench; the program contains it if it is there when the program is built.
WEB = crates/incrowd-server/web
TARGET = $(abspath $(or $(CARGO_TARGET_DIR),target))

serve: tools page ## Negotiate about the bundled Adult table in the browser
	cargo run --quiet --profile demo --package incrowd-cli --no-default-features --features server -- serve data/adult --data-folder out/workbench --open

page: web-tools ## Build the page of the workbench
	cd $(WEB) && npm ci --silent --no-audit --no-fund && npm run --silent build

test-page: tools page browser ## The tests of the page alone
	cargo build --package incrowd-cli --features server
	cd $(WEB) && npm run --silent check && npm run --silent unit && INCROWD=$(TARGET)/debug/incrowd npm run --silent e2e

test-api: tools ## The generated requests to the API alone; EXAMPLES of each kind (needs Python; installs schemathesis into out/)
	crates/incrowd-server/tests/schemathesis.sh

test-engines: tools postgres duckdb sail ## The tests of tables in databases alone
	cargo test --package incrowd-sql --features postgres,duckdb,spark
	cargo test --package incrowd-cli --features postgres,duckdb,spark --test it -- engines::

test-spark: tools sail spark ## The same tests on a cluster of Spark with two workers (needs Java 17; installs half a gigabyte into out/)
	INCROWD_TEST_SPARK=$(abspath crates/incrowd-cli/tests/spark_cluster.sh) cargo test --package incrowd-cli --features spark --test it -- engines:: --test-threads 1 --include-ignored

# The Python package. For its tests it is built as people install it, by `pip install .` in an unpacked source archive, but
# compiled as `cargo test` compiles everything, so that little is compiled twice; and compared with a program of the same
# source. `make wheel` builds the one to hand out. Everything is installed into a fresh virtual environment in out/.
PYTHON ?= python3
WHEEL_FLAGS ?= --profile dev $(foreach crate,core io learn,--config profile.dev.package.incrowd-$(crate).opt-level=1) \
	--config profile.dev.package.incrowd-job.opt-level=0
VENV = out/python
UNPACKED = out/python-source
PIP_INSTALL = $(VENV)/bin/pip install --quiet --disable-pip-version-check

# The program to compare with; built now unless somebody names one, who then answers for its age.
INCROWD ?=

python: tools python-tools ## Build the Python package from its source archive, install it into a fresh virtual environment, and test it
	$(if $(INCROWD),@test -x $(INCROWD) || { echo "error: INCROWD=$(INCROWD) is not a program"; exit 2; },cargo build --quiet --package incrowd-cli)
	rm -rf $(VENV) $(UNPACKED) out/sdist
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) --requirement python/requirements.txt
	$(VENV)/bin/maturin sdist --out out/sdist
	mkdir -p $(UNPACKED) && tar --extract --touch --strip-components 1 --file out/sdist/incrowd-*.tar.gz --directory $(UNPACKED)
	PATH=$(abspath $(VENV))/bin:$$PATH CARGO_TARGET_DIR=$(TARGET) MATURIN_PEP517_ARGS="$(WHEEL_FLAGS)" $(PIP_INSTALL) --no-build-isolation --no-deps ./$(UNPACKED)
	INCROWD=$(abspath $(or $(INCROWD),$(TARGET)/debug/incrowd)) $(VENV)/bin/pytest python/tests

wheel: tools python-tools ## Build the Python package to hand out, from its own source archive, in out/wheels
	rm -rf out/wheels out/wheel-source && $(PYTHON) -m venv --clear out/wheel-tools
	out/wheel-tools/bin/pip install --quiet --disable-pip-version-check twine==7.0.0 maturin==$(shell sed -n 's/^maturin==//p' python/requirements.txt)
	out/wheel-tools/bin/maturin sdist --out out/wheels
	mkdir -p out/wheel-source && tar --extract --strip-components 1 --file out/wheels/incrowd-*.tar.gz --directory out/wheel-source
	cd out/wheel-source && CARGO_TARGET_DIR=$(TARGET) ../wheel-tools/bin/maturin build --compatibility pypi --auditwheel check --out ../wheels
	out/wheel-tools/bin/twine check --strict out/wheels/*

bench: tools peers ## Run all benchmarks, which takes hours; RUN names the folder under benchmarks/runs (default: today's date)
	cargo run --profile bench --package incrowd-bench -- all --python $(PEERS)/bin/python --record $(RUN)

# The programs to compare with that a package brings; installed anew when their list changes.
PEERS = out/peers
peers: python-tools
	@cmp --silent benchmarks/peers.txt $(PEERS)/peers.txt || { $(PYTHON) -m venv --clear $(PEERS) && $(PEERS)/bin/pip install --quiet --disable-pip-version-check --requirement benchmarks/peers.txt && cp benchmarks/peers.txt $(PEERS)/peers.txt; }

dist: tools ## Build the program to distribute, fully optimized and without symbols, in target/dist
	cargo build --profile dist --package incrowd-cli

docs: ## Rewrite the pages that are generated from the registries
	INCROWD_WRITE_DOCS=1 cargo test --quiet --package incrowd-cli --test it -- generated_docs:: error_codes::

fuzz: ## A minute for each fuzz target (needs a nightly toolchain and cargo-fuzz)
	@command -v cargo-fuzz >/dev/null || cargo install cargo-fuzz --locked
	@for target in csv hierarchy job; do cargo +nightly fuzz run $$target -- -max_total_time=60 || exit 1; done

tools:
	@command -v cargo >/dev/null || { echo "error: no Rust toolchain found"; echo "  hint: install rustup from your package manager or rustup.rs, then run make again"; exit 2; }
	@cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@cargo clippy --version >/dev/null 2>&1 || rustup component add clippy

python-tools:
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || { apt-get update -q && apt-get install -yq python3-venv; } || { echo "error: no Python 3.10 or later with venv found"; echo "  hint: install it, then run make again; PYTHON=path names it"; exit 2; }

web-tools:
	@command -v npm >/dev/null || { apt-get update -q && apt-get install -yq nodejs npm; } || { echo "error: no Node.js found"; echo "  hint: install Node.js 20 or later with npm, then run make again"; exit 2; }

browser:
	@command -v chromium >/dev/null || { apt-get update -q && apt-get install -yq chromium; } || { echo "error: no Chromium found"; echo "  hint: install Chromium, then run make again; CHROMIUM=path names it"; exit 2; }

postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || { apt-get update -q && apt-get install -yq postgresql; } || { echo "error: no PostgreSQL server found"; echo "  hint: install PostgreSQL, then run make again; tests start a server of their own"; exit 2; }

# The library of DuckDB, and a client that is not ours to see what was written.
DUCKDB = 1.5.6-r.1
duckdb: web-tools
	@ls out/duckdb/node_modules/@duckdb/*/libduckdb.so >/dev/null 2>&1 || npm install --silent --no-audit --no-fund --prefix out/duckdb @duckdb/node-api@$(DUCKDB)

# Sail, which speaks Spark Connect, and Spark's own client to see what was written.
SAIL = 0.7.2
SPARK_CLIENT = 4.0.1
sail: python-tools
	@out/sail/bin/sail --version 2>/dev/null | grep -q '$(SAIL)' || { $(PYTHON) -m venv --clear out/sail && out/sail/bin/pip install --quiet --disable-pip-version-check pysail==$(SAIL) pyspark-client==$(SPARK_CLIENT) 'pandas<3' setuptools; }

# Spark itself. Not beside Sail, which takes its Python package for its own.
SPARK = 4.3.0
spark: python-tools
	@command -v java >/dev/null || { apt-get update -q && apt-get install -yq openjdk-17-jre-headless; } || { echo "error: no Java found"; echo "  hint: install Java 17, then run make again"; exit 2; }
	@out/spark/bin/pip show pyspark 2>/dev/null | grep -q '^Version: $(SPARK)' || { $(PYTHON) -m venv --clear out/spark && out/spark/bin/pip install --quiet --disable-pip-version-check pyspark==$(SPARK); }
