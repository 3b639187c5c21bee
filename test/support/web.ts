import { Body } from "../../src/platform/http1/message/body.ts";
import { HttpHeaders } from "../../src/platform/http1/message/headers.ts";
import { HttpRequest } from "../../src/platform/http1/message/http-request.ts";
import { HttpResponse } from "../../src/platform/http1/message/http-response.ts";

/** Converts between web Request and Response objects, which are convenient in tests, and the server's types. */

export function requestOf(request: Request, ip = "192.0.2.1"): HttpRequest {
  const { pathname, search } = new URL(request.url);
  const body = request.body ? bodyOf(request.body) : undefined;
  return new HttpRequest(request.method, pathname + search, new HttpHeaders(request.headers), body, ip);
}

export function responseOf(response: Response): HttpResponse {
  const body = response.body ? bodyOf(response.body) : undefined;
  return new HttpResponse(response.status, new HttpHeaders(response.headers), body);
}

export function bodyOf(stream: ReadableStream<Uint8Array>): Body {
  let resume = () => {};
  let isPaused = false;
  const body = new Body(undefined, {
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
      resume();
    },
    cancel: () => void stream.cancel().catch(() => {}),
  });
  const fill = async () => {
    try {
      for await (const piece of stream as unknown as AsyncIterable<Uint8Array>) {
        body.push(Buffer.from(piece));
        if (isPaused)
          await new Promise<void>((resolve) => {
            resume = resolve;
          });
      }
      body.end();
    } catch (error) {
      body.fail(error as Error);
    }
  };
  void fill();
  return body;
}

export function webResponseOf({ status, headers, body }: HttpResponse): Response {
  const content = body instanceof Body ? streamOf(body) : body;
  return new Response((content as Bun.BodyInit | undefined) ?? null, { status, headers: [...headers] });
}

function streamOf(body: Body): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => body.cancel(),
  });
}
