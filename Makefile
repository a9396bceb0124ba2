# Two commands do everything on a fresh machine: `make demo` and `make test`.
.PHONY: demo test bench dist docs fuzz tools

# Built in a minute or two: barely optimized, and without Parquet, since the table is CSV. `make dist` builds the program to distribute.
INCROWD = cargo run --quiet --profile demo --package incrowd-cli --no-default-features --

demo: tools ## Anonymize the bundled Adult table; release and certificate appear in out/
	@mkdir -p out
	$(INCROWD) anonymize data/adult/adult.csv \
		--quasi-identifiers age,sex,race,education,marital-status \
		--sensitive hours-per-week --others drop \
		--hierarchies data/adult/hierarchies \
		-k 5 --max-suppressed 1% --sample 6 \
		--output out/adult-safe.csv --certificate out/adult-certificate.json

# A single full build gains nothing from incremental compilation.
test: export CARGO_INCREMENTAL = 0
test: tools ## Everything CI runs
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet --features incrowd-job/arrow

bench: tools ## Run the benchmarks; RUN names the folder under benchmarks/runs (default: today's date)
	cargo run --profile bench --package incrowd-bench -- all --record $(RUN)

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
