import { AnswerWriter, endsWithConnection, ofConnection } from "./answer-writer.ts";
import { Body, type Flow } from "./body.ts";
import { BodyReader, textBody } from "./body-reader.ts";
import { beginsLikeRequest, HeadParser } from "./head.ts";
import type { HttpHeaders } from "./headers.ts";
import { HttpRequest, later } from "./http-request.ts";
import { type HttpResponse, statusLine } from "./http-response.ts";
import { Malformed } from "./malformed.ts";
import { outgoing } from "./outgoing.ts";
import { Output } from "./output.ts";
import { TunnelEnd } from "./tunnel.ts";

/** How a request is answered: at once, or later. */
export type Answering = HttpResponse | Promise<HttpResponse> | typeof later;

/** What a server does with the requests that its connections read. */
export interface Handler {
  handle(request: HttpRequest): Answering;
  /** What is answered to something that is not HTTP. */
  refuse(mistake: Malformed): HttpResponse;
  /** What is answered where `handle` failed. */
  failed(error: unknown): HttpResponse;
}

/** What connections ask the server that they belong to. */
export interface Surroundings {
  /** Seconds that have passed: coarse, and cheap to look at. */
  readonly second: number;
  /** As the Date header tells it. */
  readonly date: string;
  readonly isStopping: boolean;
}

/** Requests that a client sends ahead wait for the answers before them; above this, in its own socket. */
const mostHeld = 64 * 1024;
/** A rest of a body that nobody wants is read to its end up to this; above, the connection is given up. */
const mostDiscarded = 64 * 1024;

/** How long a client may keep silent when it is its turn. */
const silenceSeconds = 60;
/** How long a head may take, however lively its bytes come. */
const headSeconds = 30;
/** How long a client may take to hear that a connection is over. */
const closingSeconds = 5;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** One connection of a client: reads requests, one after the other, and writes their answers. */
export class ServerConnection implements Flow {
  readonly #output: Output;
  readonly #heads = new HeadParser();
  readonly #answers: AnswerWriter;
  readonly #whenAnswered = () => this.#answered();
  /** What was received and not read yet. */
  #held: Buffer | undefined;
  /** The request under way: not answered whole, or not received whole. */
  #request: HttpRequest | undefined;
  /** Of that request's body, until all of it is here. */
  #reader: BodyReader | undefined;
  #isAnswered = false;
  #isHttp10 = false;
  #isKept = true;
  #awaitsContinue = false;
  #isReading = false;
  #isPaused = false;
  #isClosing = false;
  #isOver = false;
  #tunnel: TunnelEnd | undefined;
  #lastHeard: number;
  /** When the head that is being read began. */
  #headBegan: number | undefined;

  constructor(
    private readonly socket: Bun.Socket<ServerConnection>,
    private readonly ip: string,
    private readonly handler: Handler,
    private readonly surroundings: Surroundings,
  ) {
    this.#output = new Output(socket);
    this.#answers = new AnswerWriter(this.#output, () => socket.terminate());
    this.#lastHeard = surroundings.second;
  }

  /** Whether a request is under way, or its answer. */
  get isBusy(): boolean {
    return !this.#tunnel && (this.#request !== undefined || this.#output.isWaiting);
  }

  received(bytes: Buffer): void {
    if (this.#isClosing) return;
    this.#lastHeard = this.surroundings.second;
    if (this.#tunnel) {
      this.#tunnel.received(bytes);
      return;
    }
    this.#held = this.#held ? Buffer.concat([this.#held, bytes]) : bytes;
    this.#read();
  }

  drained(): void {
    this.#lastHeard = this.surroundings.second;
    this.#output.drained();
  }

  closed(): void {
    this.#isOver = true;
    // First of all: whoever learns that the body was cut short has to know why.
    if (!this.#isAnswered) this.#request?.gone();
    this.#reader?.closed();
    this.#tunnel?.closed();
    this.#answers.cancel();
  }

  /** Called every second: gives up clients that keep silent when it is their turn. */
  look(): void {
    const { second } = this.surroundings;
    const isTheirTurn =
      !this.#tunnel &&
      (this.#request === undefined || (this.#reader && !this.#isPaused) || this.#output.isWaiting || this.#isClosing);
    if (!isTheirTurn) {
      this.#lastHeard = second;
      return;
    }
    const isSaid = this.#isClosing && !this.#output.isWaiting;
    const isSilent = second - this.#lastHeard > (isSaid ? closingSeconds : silenceSeconds);
    const isSlow = this.#headBegan !== undefined && second - this.#headBegan > headSeconds;
    if (!isSilent && !isSlow) return;
    // What the system holds still reaches a client that reads slowly; `terminate` would take it away.
    if (isSaid) this.socket.end();
    else this.socket.terminate();
  }

  /** Ends the connection as soon as nothing is under way on it. */
  finish(): void {
    if (this.#tunnel) this.#tunnel.end();
    else if (this.#request === undefined) this.#close();
    else this.#isKept = false;
  }

  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.socket.pause();
  }

  /** Also when somebody begins to take the body: a client that asked whether to send it is told so only then. */
  resume(): void {
    if (this.#awaitsContinue) {
      this.#awaitsContinue = false;
      this.#output.text("HTTP/1.1 100 Continue\r\n\r\n");
    }
    this.#hear();
  }

  /** The rest of the body is read all the same, and dropped: the next request comes after it. */
  cancel(): void {
    this.#hear();
  }

  /** While the socket is paused, nobody learns that the client went away: no longer than there is something to wait for. */
  #hear(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.socket.resume();
  }

  #read(): void {
    // An answer that is given at once leads here again.
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#held !== undefined && this.#readMore(this.#held));
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.#giveUp(error);
    } finally {
      this.#isReading = false;
    }
  }

  /** False: nothing can be done with what is held before something else happens. */
  #readMore(held: Buffer): boolean {
    if (this.#reader) {
      this.#readBody(this.#reader, held);
      return true;
    }
    if (this.#request === undefined) return this.#begin(held);
    if (held.length > mostHeld) this.pause();
    return false;
  }

  #readBody(reader: BodyReader, held: Buffer): void {
    const next = reader.read(held, 0);
    this.#held = next < held.length ? held.subarray(next) : undefined;
    if (!reader.isDone) return;
    this.#reader = undefined;
    this.#hear();
    if (this.#isAnswered) this.#next();
  }

  #begin(held: Buffer): boolean {
    // Some clients end a body with an empty line that does not belong to it.
    const from = held[0] === carriageReturn && held[1] === lineFeed ? 2 : 0;
    const head = this.#heads.request(held, from);
    if (!head) {
      // Somebody speaks TLS, or nothing at all that is known here: no need to wait for more of it.
      if (!beginsLikeRequest(held, from)) throw new Malformed("that is not HTTP");
      this.#headBegan ??= this.surroundings.second;
      return false;
    }
    this.#headBegan = undefined;
    const { framing } = head;
    const bodyAt = from + head.size;
    const whole = framing === 0 ? undefined : textBody(held, bodyAt, framing);
    const reader = framing === 0 || whole !== undefined ? undefined : new BodyReader(framing, this);
    // Most bodies come with their head, and need not be waited for.
    const next =
      whole !== undefined ? bodyAt + whole.length : reader && bodyAt < held.length ? reader.read(held, bodyAt) : bodyAt;
    this.#held = next < held.length ? held.subarray(next) : undefined;
    this.#reader = reader?.isDone ? undefined : reader;
    if (!this.#reader) this.#hear();
    this.#awaitsContinue =
      bodyAt === held.length && reader !== undefined && !head.isHttp10 && expectsContinue(head.headers);
    this.#isHttp10 = head.isHttp10;
    this.#isKept = !this.surroundings.isStopping && head.isKept;
    this.#isAnswered = false;
    const body = whole === undefined ? reader?.body : Body.ofText(whole);
    this.#request = new HttpRequest(head.method, head.target, head.headers, body, this.ip, this);
    this.#handle(this.#request);
    return true;
  }

  #handle(request: HttpRequest): void {
    try {
      const answer = this.handler.handle(request);
      if (answer instanceof Promise)
        answer.then(
          (response) => this.answer(request, response),
          (error: unknown) => this.answer(request, undefined, error),
        );
      else if (answer !== later) this.#answer(request, answer);
    } catch (error) {
      this.#answer(request, this.handler.failed(error));
    }
  }

  /** Without a promise of its own for what may go wrong here: left alone it would end the process. */
  answer(request: HttpRequest, response: HttpResponse | undefined, error?: unknown): void {
    try {
      this.#answer(request, response ?? this.handler.failed(error));
    } catch {
      this.socket.terminate();
    }
  }

  /** What comes over the connection makes no sense any more. */
  #giveUp(mistake: Malformed): void {
    this.#held = undefined;
    this.#isKept = false;
    if (this.#reader) {
      // Whoever answers the request learns of it from the body.
      const reader = this.#reader;
      this.#reader = undefined;
      this.#isClosing = true;
      reader.fail(mistake);
      if (this.#isAnswered) this.#close();
      return;
    }
    this.#isAnswered = false;
    this.#write("GET", this.handler.refuse(mistake));
  }

  #answer(request: HttpRequest, response: HttpResponse): void {
    if (this.#isOver) {
      response.discard();
      return;
    }
    if (response.tunnel) {
      this.#switch(response, response.tunnel);
      return;
    }
    // Nobody takes the body any more, or has begun to, so nobody will.
    if (this.#reader && !this.#reader.body.isTaken && !this.#canDiscard(this.#reader)) this.#isKept = false;
    if (endsWithConnection(response, this.#isHttp10)) this.#isKept = false;
    this.#write(request.method, response);
  }

  #write(method: string, response: HttpResponse): void {
    const { date } = this.surroundings;
    const circumstances = { method, isHttp10: this.#isHttp10, isKept: this.#isKept, date };
    this.#answers.write(response, circumstances, this.#whenAnswered);
  }

  #switch(response: HttpResponse, other: TunnelEnd): void {
    const { status, headers } = response;
    outgoing.begin(statusLine(status));
    headers.write(ofConnection);
    outgoing.text("connection: upgrade\r\n\r\n");
    this.#output.send();
    this.#tunnel = new TunnelEnd(this.socket, this.#output);
    if (this.#held) this.#tunnel.received(this.#held);
    this.#held = undefined;
    this.#isAnswered = true;
    this.#tunnel.joinWith(other);
  }

  #answered(): void {
    this.#isAnswered = true;
    if (!this.#isKept) {
      this.#close();
      return;
    }
    if (this.#reader === undefined) {
      this.#next();
      return;
    }
    if (this.#canDiscard(this.#reader)) this.#drop(this.#reader.body);
    else this.#close();
  }

  /** Whoever still takes the body must not wait for the rest of it: the connection to an upstream would be left hanging. */
  #drop(body: Body): void {
    body.fail(new Error("the request was answered before all of its body was there"));
    this.#hear();
  }

  #canDiscard(reader: BodyReader): boolean {
    return reader.left <= mostDiscarded && !this.#awaitsContinue;
  }

  #next(): void {
    // Answers that a client does not read must not pile up, however many requests it sends ahead.
    if (this.#output.isWaiting && !this.surroundings.isStopping) {
      this.#output.onDrained = () => this.#next();
      return;
    }
    this.#output.onDrained = undefined;
    this.#request = undefined;
    if (this.surroundings.isStopping) {
      this.#close();
      return;
    }
    this.#hear();
    this.#read();
  }

  /** Says no more, and hears no more; but lets the client read to the end what was said. */
  #close(): void {
    this.#isClosing = true;
    this.#request = undefined;
    this.#held = undefined;
    if (this.#reader) this.#drop(this.#reader.body);
    this.#hear();
    this.#lastHeard = this.surroundings.second;
    this.#output.end();
  }
}

/** The client waits until it is told that somebody takes the body. */
function expectsContinue(headers: HttpHeaders): boolean {
  return headers.get("expect")?.toLowerCase() === "100-continue";
}
