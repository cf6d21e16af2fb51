"""The HTTP service: ``/v1`` of design section 9, over a small protocol of the system behind it.

Reading order: ports (what it needs), wiring (routes), writes, reads, rendering, openapi, app, server. Importing this
package or ``ports`` loads no HTTP library.
"""
