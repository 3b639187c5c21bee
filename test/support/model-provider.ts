import { started, stopped } from "./left-running.ts";

/** A request as the provider received it. */
export interface ProviderRequest {
  method: string;
  path: string;
  headers: Headers;
  text: string;
  /** The parsed body. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of both APIs, as tests read them.
  body: any;
}

type Respond = (request: ProviderRequest) => Response | undefined | Promise<Response | undefined>;

/** A provider that responds like those of OpenAI and Anthropic, unless a test decides otherwise. */
export class ModelProvider {
  readonly requests: ProviderRequest[] = [];
  /** Responds instead of the provider, unless it returns undefined. */
  respond: Respond = () => undefined;
  readonly #server: Bun.Server<unknown>;

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      fetch: async (received) => {
        const text = await received.text();
        const { pathname, search } = new URL(received.url);
        const request: ProviderRequest = {
          method: received.method,
          path: pathname + search,
          headers: received.headers,
          text,
          body: text === "" ? undefined : JSON.parse(text),
        };
        this.requests.push(request);
        return (await this.respond(request)) ?? usualResponse(request);
      },
    });
    started(this, "a model provider");
  }

  /** The base URL, with the version. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/v1`;
  }

  get last(): ProviderRequest {
    return this.requests.at(-1)!;
  }

  reset(): void {
    this.requests.length = 0;
    this.respond = () => undefined;
  }

  async stop(): Promise<void> {
    stopped(this);
    await this.#server.stop(true);
  }
}

const words = ["A ", "toll ", "gate."];
const text = words.join("");

/** The response of a real provider to a request. */
export function usualResponse({ path, body }: ProviderRequest): Response {
  const operation = path.replace(/^\/v1\//, "").replace(/\?.*$/, "");
  switch (operation) {
    case "chat/completions":
      return body.stream ? events(chatEvents(body)) : Response.json(chatCompletion(body), { headers: openAiHeaders });
    case "responses":
      return body.stream ? events(responseEvents(body)) : Response.json(response(body), { headers: openAiHeaders });
    case "embeddings":
      return Response.json({
        object: "list",
        model: body.model,
        data: [{ object: "embedding", index: 0, embedding: [0.5, -0.5] }],
        usage: { prompt_tokens: 4, total_tokens: 4 },
      });
    case "messages":
      return body.stream ? events(messageEvents(body)) : Response.json(message(body), { headers: anthropicHeaders });
    case "messages/count_tokens":
      return Response.json({ input_tokens: 9 });
    default:
      return Response.json(
        { error: { message: "Unknown request URL", type: "invalid_request_error" } },
        { status: 404 },
      );
  }
}

const openAiHeaders = {
  "x-request-id": "req_provider",
  "openai-organization": "org-secret",
  "openai-project": "proj_secret",
  "openai-processing-ms": "12",
  "x-ratelimit-remaining-requests": "99",
  "set-cookie": "__cf_bm=1; path=/",
};

const anthropicHeaders = {
  "request-id": "req_provider",
  "anthropic-organization-id": "org-secret",
  "anthropic-ratelimit-tokens-remaining": "99",
};

export const chatUsage = {
  prompt_tokens: 11,
  completion_tokens: 5,
  total_tokens: 16,
  prompt_tokens_details: { cached_tokens: 3 },
};

// biome-ignore lint/suspicious/noExplicitAny: a body of a request.
function chatCompletion({ model, n = 1 }: any) {
  const message = { role: "assistant", content: text };
  const choices = Array.from({ length: n }, (_, index) => ({ index, message, finish_reason: "stop", logprobs: null }));
  return { id: "chatcmpl-1", object: "chat.completion", created: 1, model, choices, usage: chatUsage };
}

// biome-ignore lint/suspicious/noExplicitAny: a body of a request.
function chatEvents({ model, stream_options }: any): string[] {
  const includesUsage = stream_options?.include_usage === true;
  const chunk = (more: object) => ({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model, ...more });
  const usage = includesUsage ? { usage: null } : {};
  const deltas = words.map((content) =>
    chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }], ...usage }),
  );
  return [
    ...deltas,
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], ...usage }),
    ...(includesUsage ? [chunk({ choices: [], usage: chatUsage })] : []),
    "[DONE]",
  ].map((data) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
}

// biome-ignore lint/suspicious/noExplicitAny: a body of a request.
function response({ model }: any) {
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model,
    output: [
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      },
    ],
    usage: { input_tokens: 11, output_tokens: 5, total_tokens: 16, input_tokens_details: { cached_tokens: 3 } },
  };
}

function responseEvents(body: unknown): string[] {
  const final = response(body);
  const [item] = final.output;
  const [part] = item!.content;
  const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const all = [
    { type: "response.created", response: { ...final, status: "in_progress", output: [], usage: null } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    ...words.map((delta) => ({ type: "response.output_text.delta", ...place, delta })),
    { type: "response.output_text.done", ...place, text },
    { type: "response.content_part.done", ...place, part },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: final },
  ];
  return all.map(
    (data, index) => `event: ${data.type}\ndata: ${JSON.stringify({ ...data, sequence_number: index })}\n\n`,
  );
}

// biome-ignore lint/suspicious/noExplicitAny: a body of a request.
function message({ model }: any) {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model,
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 11, cache_creation_input_tokens: 0, cache_read_input_tokens: 3, output_tokens: 5 },
  };
}

function messageEvents(body: unknown): string[] {
  const start = message(body);
  const all = [
    {
      type: "message_start",
      message: { ...start, content: [], stop_reason: null, usage: { ...start.usage, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "ping" },
    ...words.map((word) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word } })),
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
  return all.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** A stream of server-sent events, each its own chunk. */
export function events(all: readonly (string | Uint8Array)[], headers: Record<string, string> = {}): Response {
  let next = 0;
  const body = new ReadableStream({
    async pull(controller) {
      // Bun joins chunks that are enqueued in the same turn.
      await Bun.sleep(0);
      const event = all[next++];
      if (event === undefined) controller.close();
      else controller.enqueue(typeof event === "string" ? new TextEncoder().encode(event) : event);
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream", ...headers } });
}
