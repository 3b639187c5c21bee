"""Applications of a Python framework, each with options of its own, or without middleware. Prints their ports, and serves until stdin ends."""

import asyncio
import json
import os
import sys
import threading
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

framework = sys.argv[1]
sockets = json.loads(os.environ["MIDDLEWARE_OPTIONS"])


def permission_for(path):
    return "orders:read" if path == "/orders" else None


def fastapi_app(options):
    from fastapi import FastAPI, Request
    from tollgate.asgi import TollgateMiddleware

    app = FastAPI()
    if options is not None:
        app.add_middleware(TollgateMiddleware, permission=lambda scope: permission_for(scope["path"]), **options)

    @app.get("/forecast")
    @app.get("/orders")
    def forecast(request: Request):
        return {"access": getattr(request.state, "tollgate", None)}

    return app


def starlette_app(options):
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route
    from tollgate.asgi import TollgateMiddleware

    async def forecast(request):
        return JSONResponse({"access": request.state.tollgate})

    app = Starlette(routes=[Route("/forecast", forecast), Route("/orders", forecast)])
    app.add_middleware(TollgateMiddleware, permission=lambda scope: permission_for(scope["path"]), **options)
    return app


def flask_app(options):
    from flask import Flask, request
    from tollgate.wsgi import TollgateMiddleware

    app = Flask(__name__)

    @app.get("/forecast")
    @app.get("/orders")
    def forecast():
        return {"access": request.environ["tollgate"]}

    app.wsgi_app = TollgateMiddleware(
        app.wsgi_app, permission=lambda environ: permission_for(environ["PATH_INFO"]), **options
    )
    return app


def django_app(options, is_async):
    from django.conf import settings
    from django.http import JsonResponse
    from django.urls import path

    async def forecast_async(request):
        return JsonResponse({"access": request.tollgate})

    def forecast(request):
        return JsonResponse({"access": request.tollgate})

    view = forecast_async if is_async else forecast
    options = {"permission": lambda request: permission_for(request.path), **options}
    if not settings.configured:
        import django

        settings.configure(
            ALLOWED_HOSTS=["*"],
            SECRET_KEY="tests",
            ROOT_URLCONF=type("urls", (), {"urlpatterns": [path("forecast", view), path("orders", view)]}),
            MIDDLEWARE=["tollgate.django.TollgateMiddleware"],
            LOGGING_CONFIG=None,
            TOLLGATE=options,
        )
        django.setup()
    settings.TOLLGATE = options
    from django.core.handlers.asgi import ASGIHandler
    from django.core.handlers.wsgi import WSGIHandler

    return ASGIHandler() if is_async else WSGIHandler()


apps = {
    "fastapi": fastapi_app,
    "starlette": starlette_app,
    "flask": flask_app,
    "django": lambda options: django_app(options, False),
    "django asynchronous": lambda options: django_app(options, True),
}


class ThreadedServer(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *args):
        pass


def announce(name, port):
    # In one write: the reader closes the pipe after the last line.
    sys.stdout.write(json.dumps({"socket": name, "port": port}) + "\n")
    sys.stdout.flush()


async def serve_asgi():
    import uvicorn

    servers = []
    for name, options in sockets.items():
        config = uvicorn.Config(apps[framework](options), port=0, log_level="critical")
        server = uvicorn.Server(config)
        server.install_signal_handlers = lambda: None
        servers.append((server, asyncio.create_task(server.serve())))
        while not server.started:
            await asyncio.sleep(0.01)
        announce(name, server.servers[0].sockets[0].getsockname()[1])
    await asyncio.to_thread(sys.stdin.read)
    for server, task in servers:
        server.should_exit = True
        await task


if framework in ("flask", "django"):
    for name, options in sockets.items():
        server = make_server("127.0.0.1", 0, apps[framework](options), ThreadedServer, QuietHandler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        announce(name, server.server_port)
    sys.stdin.read()
else:
    asyncio.run(serve_asgi())
