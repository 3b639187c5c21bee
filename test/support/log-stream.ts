import { adminToken } from "./server-settings.ts";
import { until } from "./until.ts";

export interface StreamedLine {
  id: string;
  kind: string;
  message: string;
  [name: string]: unknown;
}

/** Follows the log of a deployment, as server-sent events. */
export class LogStream {
  readonly lines: StreamedLine[] = [];
  /** Settles when the server or `close` has ended the stream. */
  readonly ended: Promise<void>;

  private constructor(
    readonly contentType: string | null,
    body: ReadableStream<Uint8Array>,
    private readonly abort: AbortController,
  ) {
    this.ended = this.#read(body).catch(() => {});
  }

  /** Resolves once the stream is open. */
  static async open(serverUrl: string, deployment: string, query = "", token = adminToken): Promise<LogStream> {
    const abort = new AbortController();
    const response = await fetch(`${serverUrl}/v1/deployments/${deployment}/logs?follow=true${query}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: abort.signal,
    });
    if (response.status !== 200) throw new Error(`The log cannot be followed: ${await response.text()}`);
    return new LogStream(response.headers.get("content-type"), response.body!, abort);
  }

  /** Waits for a matching line. */
  line(fits: (line: StreamedLine) => boolean): Promise<StreamedLine> {
    const what = () => `a line in the stream; there are ${JSON.stringify(this.lines)}`;
    return until(() => this.lines.find(fits), { what });
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.ended;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      const events = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = events.pop()!;
      for (const event of events) this.#take(event);
    }
  }

  /** Events that begin with a colon are keep-alive comments. */
  #take(event: string): void {
    if (event.startsWith(":")) return;
    const [, id, data] = /^id: (\S+)\nevent: log\ndata: (.+)$/.exec(event) ?? [];
    if (data === undefined) throw new Error(`This is no event: ${event}`);
    const line = JSON.parse(data);
    if (line.id !== id) throw new Error(`The event ${id} holds the line ${line.id}`);
    this.lines.push(line);
  }
}
