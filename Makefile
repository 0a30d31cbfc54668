# Each verb is one recipe over `python -m classroom`, which makes .venv on its first run.
# Windows, or no make: call `python -m classroom lessons` (or test, …) yourself.

PYTHON ?= python3

.DEFAULT_GOAL := help
.PHONY: help lessons test sync site site-check whynone assign grade atlas compat bench pins

help: ## list the verbs
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 16

lessons: ## open the lessons in JupyterLab
	@$(PYTHON) -m classroom lessons

test: ## run every test: notebooks, reference modules, exercises, site
	@$(PYTHON) -m classroom test $(ARGS)

sync: ## regenerate notebooks, stubs and tables (SLUGS="a b" for some lessons only)
	@$(PYTHON) -m classroom sync $(SLUGS)

site: ## build the site and serve it with live reload (ARGS=--build-only: into site/, and done)
	@$(PYTHON) -m classroom site $(ARGS)

site-check: ## build the site and check every page: links, accessibility, keyboard, search, speed
	@$(PYTHON) -m classroom site-check $(ARGS)

whynone: ## explain the gradients of a script: make whynone SCRIPT=train.py
	@$(PYTHON) -m classroom whynone $(SCRIPT) $(ARGS)

assign: ## make an assignment: make assign SLUGS="unwatched_tensor nested_models" OUT=week3 [ROSTER=…]
	@$(PYTHON) -m classroom assign $(SLUGS) --out "$(OUT)" $(if $(ROSTER),--roster "$(ROSTER)") $(ARGS)

grade: ## grade what was handed in: make grade ASSIGNMENT=week3 SUBMISSIONS=moodle.zip [ROSTER=…]
	@$(PYTHON) -m classroom grade "$(ASSIGNMENT)" "$(SUBMISSIONS)" \
		$(if $(ROSTER),--roster "$(ROSTER)") $(ARGS)

atlas: ## run the specimens under many TensorFlows (RELEASES="2.1.0 newest" for some)
	@$(PYTHON) -m classroom atlas $(RELEASES) $(ARGS)

compat: ## test whynone under TensorFlow 2.16 to 2.21 (RELEASES="2.16.2" for some)
	@$(PYTHON) tests/compat.py $(RELEASES)

bench: ## what the gradients of every layer's output cost; half an hour, a quiet machine
	@$(PYTHON) -m classroom bench $(ARGS)

pins: ## after editing the top half of requirements.txt: renew its lower half
	@$(PYTHON) -m classroom pins
