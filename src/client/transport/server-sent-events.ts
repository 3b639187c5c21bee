export interface ServerSentEvent {
  id: string | undefined;
  event: string;
  data: string;
}

/** Parses a `text/event-stream` into events. Leaving the loop closes the connection. */
export async function* serverSentEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let fields: Record<string, string> = {};
  for await (const line of linesOf(stream)) {
    if (line === "") {
      const { id, event = "message", data } = fields;
      if (data !== undefined) yield { id, event, data };
      fields = {};
    } else if (!line.startsWith(":")) {
      const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line)!;
      fields[name!] = name === "data" && fields.data !== undefined ? `${fields.data}\n${value}` : value!;
    }
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop()!;
      for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line;
    }
  } finally {
    await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}
