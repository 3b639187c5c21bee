import { Body } from "../message/body.ts";
import { writeBody, writeContent, writeSlice } from "../message/body-writer.ts";
import { type HttpResponse, statusLine } from "../message/http-response.ts";
import { NameSet } from "../message/name-set.ts";
import { outgoing } from "../output/outgoing.ts";
import type { Output } from "../output/output.ts";

/** The context of a response: the request and the state of the connection. */
interface ResponseContext {
  method: string;
  isHttp10: boolean;
  /** Whether the connection stays open after the response. */
  keepAlive: boolean;
  /** The value of the Date header. */
  date: string;
}

/** Connection-specific headers, which the server writes itself. */
export const connectionHeaders = new NameSet("connection", "transfer-encoding", "keep-alive");
/** The same headers and Content-Length, which depends on how the body is sent. */
const framingHeaders = new NameSet("content-length", "connection", "transfer-encoding", "keep-alive");

/** Writes the responses of one connection. Bodies stream with backpressure. */
export class ResponseWriter {
  #sending: Body | undefined;

  constructor(
    private readonly output: Output,
    /** Aborts the connection, so that the client does not treat a partial body as complete. */
    private readonly destroy: () => void,
  ) {}

  /** Calls `done` once the last byte is handed to the socket. */
  write(response: HttpResponse, context: ResponseContext, done: () => void): void {
    const { status, headers } = response;
    const { method, date } = context;
    const isBodiless = method === "HEAD" || status === 204 || status === 304;
    // A response to HEAD, or a 304, has the Content-Length of the body it omits.
    const keepsLength = isBodiless && status !== 204;
    const unsliced = isBodiless ? undefined : response.unsliced;
    const content = unsliced ? undefined : contentOf(response, isBodiless);
    outgoing.begin(statusLine(status));
    headers.write(keepsLength ? connectionHeaders : framingHeaders);
    if (!headers.has("date")) outgoing.line("date", date);
    outgoing.text(connectionLine(context));
    if (content instanceof Body) {
      this.#stream(content, context.isHttp10, done);
      return;
    }
    if (unsliced) writeSlice(this.output, unsliced.bytes, unsliced.from);
    else if (content !== undefined) writeContent(this.output, content, !isBodiless);
    else {
      outgoing.text(isBodiless ? "\r\n" : "content-length: 0\r\n\r\n");
      this.output.send();
    }
    done();
  }

  /** The client disconnected. */
  cancel(): void {
    this.#sending?.cancel();
  }

  /** For HTTP/1.0, a body of unknown length ends with the connection. */
  #stream(body: Body, isHttp10: boolean, done: () => void): void {
    const isChunked = body.length === undefined && !isHttp10;
    if (isChunked) outgoing.text("transfer-encoding: chunked\r\n");
    if (body.length !== undefined) outgoing.line("content-length", String(body.length));
    outgoing.text("\r\n");
    this.output.send();
    this.#sending = body;
    writeBody(this.output, body, isChunked, {
      end: () => {
        this.#sending = undefined;
        done();
      },
      fail: this.destroy,
    });
  }
}

/** Whether the response ends only when the connection closes. */
export function endsWithConnection(response: HttpResponse, isHttp10: boolean): boolean {
  return isHttp10 && response.body instanceof Body && response.body.length === undefined;
}

/** Cancels a body that is not sent. */
function contentOf({ body }: HttpResponse, isBodiless: boolean): string | Uint8Array | Body | undefined {
  if (!(body instanceof Body)) return body;
  if (!isBodiless) return body.whole() ?? body;
  body.cancel();
  return undefined;
}

function connectionLine({ keepAlive, isHttp10 }: ResponseContext): string {
  if (!keepAlive) return "connection: close\r\n";
  return isHttp10 ? "connection: keep-alive\r\n" : "";
}
