import { Body } from "./body.ts";
import { writeBody, writeContent, writeRest } from "./body-writer.ts";
import { type HttpResponse, statusLine } from "./http-response.ts";
import { NameSet } from "./name-set.ts";
import { outgoing } from "./outgoing.ts";
import type { Output } from "./output.ts";

/** What decides how an answer is written, beside itself. */
export interface Circumstances {
  /** Of the request. */
  method: string;
  isHttp10: boolean;
  /** Whether the connection goes on after it. */
  isKept: boolean;
  /** As the Date header tells it. */
  date: string;
}

/** What is said of the connection, and of this server's own making. */
export const ofConnection = new NameSet("connection", "transfer-encoding", "keep-alive");
/** The same, and what is told by how the body is sent. */
const ofMessage = new NameSet("content-length", "connection", "transfer-encoding", "keep-alive");

/** Writes the answers of one connection, as their bodies come and as fast as the client reads. */
export class AnswerWriter {
  #sending: Body | undefined;

  constructor(
    private readonly output: Output,
    /** Breaks the connection off: whoever reads must not take the half for the whole. */
    private readonly breakOff: () => void,
  ) {}

  /** `done` is called once the last byte is handed over. */
  write(response: HttpResponse, circumstances: Circumstances, done: () => void): void {
    const { status, headers } = response;
    const { method, date } = circumstances;
    const isBodiless = method === "HEAD" || status === 204 || status === 304;
    // The length of what is not sent is told where there could have been something.
    const tellsLength = isBodiless && status !== 204;
    const uncut = isBodiless ? undefined : response.uncut;
    const content = uncut ? undefined : contentOf(response, isBodiless);
    outgoing.begin(statusLine(status));
    headers.write(tellsLength ? ofConnection : ofMessage);
    if (!headers.has("date")) outgoing.line("date", date);
    outgoing.text(connectionLine(circumstances));
    if (content instanceof Body) {
      this.#stream(content, circumstances.isHttp10, done);
      return;
    }
    if (uncut) writeRest(this.output, uncut.bytes, uncut.from);
    else if (content !== undefined) writeContent(this.output, content, !isBodiless);
    else {
      outgoing.text(isBodiless ? "\r\n" : "content-length: 0\r\n\r\n");
      this.output.send();
    }
    done();
  }

  /** Nobody reads it any more. */
  cancel(): void {
    this.#sending?.cancel();
  }

  /** To HTTP/1.0 a body of unknown length ends with the connection. */
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
      fail: this.breakOff,
    });
  }
}

/** Whether nothing but the end of the connection can tell where the answer ends. */
export function endsWithConnection(response: HttpResponse, isHttp10: boolean): boolean {
  return isHttp10 && response.body instanceof Body && response.body.length === undefined;
}

/** A body that is not sent is not asked for either. */
function contentOf({ body }: HttpResponse, isBodiless: boolean): string | Uint8Array | Body | undefined {
  if (!(body instanceof Body)) return body;
  if (!isBodiless) return body.whole() ?? body;
  body.cancel();
  return undefined;
}

function connectionLine({ isKept, isHttp10 }: Circumstances): string {
  if (!isKept) return "connection: close\r\n";
  return isHttp10 ? "connection: keep-alive\r\n" : "";
}
