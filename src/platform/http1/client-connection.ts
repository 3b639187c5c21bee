import { Body, type Flow } from "./body.ts";
import { BodyReader } from "./body-reader.ts";
import { writeBody, writeContent } from "./body-writer.ts";
import { HeadParser, type ResponseHead } from "./head.ts";
import { HttpResponse } from "./http-response.ts";
import { Malformed } from "./malformed.ts";
import { NameSet } from "./name-set.ts";
import { outgoing } from "./outgoing.ts";
import { Output } from "./output.ts";
import type { Asking, Question } from "./question.ts";
import { TunnelEnd } from "./tunnel.ts";

/** What a connection tells the client that it belongs to. */
export interface Owner {
  /** It can carry another question. */
  free(connection: ClientConnection): void;
  /** It is of no more use. */
  lost(connection: ClientConnection): void;
  /** It broke before an answer began; the question may be asked again. */
  repeat(asking: Asking): void;
}

/** How long a connection may rest where the server does not say how long it lets it. */
const defaultRestSeconds = 30;

/** Asked twice, they do what they do asked once. */
const repeatable = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"]);
/** To these an empty body is a body. */
const withBody = new Set(["POST", "PUT", "PATCH"]);

/** Written by the connection itself. */
const own = new NameSet("host", "content-length", "transfer-encoding", "connection", "upgrade");

/** One connection to a server: asks one question at a time. */
export class ClientConnection implements Flow {
  /** How long it rests before it is given up. */
  restSeconds = defaultRestSeconds;
  restsSince = 0;
  #socket: Bun.Socket<ClientConnection> | undefined;
  #output: Output | undefined;
  #asking: Asking | undefined;
  #held: Buffer | undefined;
  readonly #heads = new HeadParser();
  #reader: BodyReader | undefined;
  /** The question's body, while it is being sent. */
  #sending: Body | undefined;
  #tunnel: TunnelEnd | undefined;
  #isFresh = true;
  #isKept = true;
  #isReady = false;
  #isPaused = false;
  #isOver = false;
  #error: Error | undefined;

  constructor(
    readonly key: string,
    private readonly owner: Owner,
  ) {}

  ask(asking: Asking): void {
    this.#asking = asking;
    asking.abandon = this.#abandon;
    if (this.#isReady) this.#send(asking.question);
  }

  /** Whether it is still being made. */
  get isConnecting(): boolean {
    return !this.#isReady && !this.#isOver;
  }

  /** The socket is open. Over TLS that is not enough yet. */
  opened(socket: Bun.Socket<ClientConnection>, isReady: boolean): void {
    this.#socket = socket;
    this.#output = new Output(socket);
    if (this.#isOver) socket.terminate();
    else if (isReady) this.#ready();
  }

  /** TLS is agreed on, or the server is not who it should be. */
  shookHands(isTrusted: boolean, error: Error | null): void {
    if (isTrusted) this.#ready();
    else this.fail(error ?? new Error("the server's certificate is not trusted"));
  }

  received(bytes: Buffer): void {
    if (this.#tunnel) {
      this.#tunnel.received(bytes);
      return;
    }
    const held = this.#held ? Buffer.concat([this.#held, bytes]) : bytes;
    this.#held = undefined;
    try {
      if (this.#reader) this.#readBody(this.#reader, held, 0);
      else if (this.#asking) this.#readHead(this.#asking, held);
      // Nobody asked.
      else this.#end();
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.fail(error);
    }
  }

  drained(): void {
    this.#output?.drained();
  }

  /** The connection could not be made, was broken, or makes no sense. */
  fail(error: Error): void {
    this.#error = error;
    if (this.#reader) this.#reader.fail(error);
    this.#end();
    this.closed();
  }

  /** With an error: it broke. */
  closed(error?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.owner.lost(this);
    this.#tunnel?.closed();
    this.#sending?.cancel();
    this.#reader?.closed(error);
    const asking = this.#asking;
    if (!asking || this.#reader) return;
    this.#asking = undefined;
    const { method, body, once } = asking.question;
    const isRepeatable = repeatable.has(method) && !once && !(body instanceof Body) && !asking.isRepeated;
    if (!this.#isFresh && !this.#error && isRepeatable) this.owner.repeat(asking);
    else asking.failed(this.#error ?? new Error("the connection was closed before an answer came"));
  }

  /** Rested too long. */
  end(): void {
    this.#socket?.end();
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#socket!.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#socket!.resume();
  }

  /** Nobody wants the rest of the answer, and there is no other way to say so. */
  cancel(): void {
    this.#end();
  }

  #ready(): void {
    this.#isReady = true;
    if (this.#asking) this.#send(this.#asking.question);
  }

  readonly #abandon = (): void => {
    this.#asking = undefined;
    this.#end();
    this.closed();
  };

  #end(): void {
    this.#socket?.terminate();
  }

  #send(question: Question): void {
    const { method, target, headers, body, upgrade, origin } = question;
    const content = body instanceof Body ? (body.wholeText() ?? body.whole() ?? body) : body;
    outgoing.begin(method);
    outgoing.text(" ");
    outgoing.text(target);
    outgoing.text(" HTTP/1.1\r\n");
    outgoing.line("host", origin.host);
    headers.write(own);
    if (upgrade !== undefined) {
      outgoing.text("connection: upgrade\r\n");
      outgoing.line("upgrade", upgrade);
    }
    if (content instanceof Body) {
      this.#sendBody(content, question);
      return;
    }
    if ((content !== undefined && content.length > 0) || withBody.has(method)) {
      writeContent(this.#output!, content ?? "");
    } else {
      outgoing.text("\r\n");
      this.#output!.send();
    }
    question.onSent?.();
  }

  #sendBody(body: Body, { onSent }: Question): void {
    const output = this.#output!;
    const isChunked = body.length === undefined;
    if (isChunked) outgoing.text("transfer-encoding: chunked\r\n");
    else outgoing.line("content-length", String(body.length));
    outgoing.text("\r\n");
    output.send();
    this.#sending = body;
    writeBody(output, body, isChunked, {
      end: () => {
        this.#sending = undefined;
        onSent?.();
        if (this.#reader?.isDone) this.#finished();
      },
      fail: (error) => this.fail(error),
    });
  }

  #readHead(asking: Asking, held: Buffer): void {
    const head = this.#heads.response(asking.question.method, held);
    if (!head) {
      this.#held = held;
      return;
    }
    const bodyAt = head.size;
    if (head.status === 101) {
      this.#switch(asking, head, held.subarray(bodyAt));
      return;
    }
    // Told on the way to the answer, for whoever is next: 100 Continue, 103 Early Hints.
    if (head.status < 200) {
      if (bodyAt < held.length) this.#readHead(asking, held.subarray(bodyAt));
      return;
    }
    const { framing } = head;
    this.#isKept = head.isKept;
    this.restSeconds = restOf(head.headers.get("keep-alive")) ?? defaultRestSeconds;
    this.#isFresh = false;
    // Most answers are here whole.
    if (framing === held.length - bodyAt && !this.#sending) {
      this.#finished();
      asking.answered(
        framing === 0
          ? new HttpResponse(head.status, head.headers)
          : HttpResponse.received(head.status, head.headers, held, bodyAt),
      );
      return;
    }
    const reader = new BodyReader(framing, this);
    this.#reader = reader;
    // Before the answer is handed on: most bodies come with their head, and are then whole.
    try {
      this.#readBody(reader, held, bodyAt);
    } finally {
      asking.answered(new HttpResponse(head.status, head.headers, framing === 0 ? undefined : reader.body));
    }
  }

  #readBody(reader: BodyReader, held: Buffer, from: number): void {
    const next = reader.isDone ? from : reader.read(held, from);
    if (!reader.isDone) return;
    // More than was asked for.
    if (next < held.length) this.#isKept = false;
    if (!this.#sending) this.#finished();
  }

  #finished(): void {
    // The connection may carry another's question next, which is not this one's to abandon.
    if (this.#asking) this.#asking.abandon = undefined;
    this.#asking = undefined;
    this.#reader = undefined;
    // Whoever takes the answer may have asked for a pause with its last piece; the next one must be heard.
    this.resume();
    // A server that answered before it had read all of the question may never read the rest, nor what comes after.
    if (this.#isKept && !this.#isOver && !this.#output!.isWaiting) this.owner.free(this);
    else this.#end();
  }

  #switch(asking: Asking, head: ResponseHead, early: Buffer): void {
    if (asking.question.upgrade === undefined) throw new Malformed("an upgrade that nobody asked for");
    this.#asking = undefined;
    const response = new HttpResponse(head.status, head.headers);
    response.tunnel = new TunnelEnd(this.#socket!, this.#output!);
    this.#tunnel = response.tunnel;
    if (early.length > 0) this.#tunnel.received(early);
    asking.answered(response);
  }
}

/** A server that says so closes the connection then; a second before, it is safe. */
function restOf(keepAlive: string | null): number | undefined {
  const seconds = /timeout=(\d+)/.exec(keepAlive ?? "")?.[1];
  return seconds === undefined ? undefined : Math.max(0, Math.min(Number(seconds) - 1, defaultRestSeconds));
}
