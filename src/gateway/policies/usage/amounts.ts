import { EventNumbers } from "../../../lib/text/event-numbers.ts";
import { JsonNumbers } from "../../../lib/text/json-numbers.ts";
import { Body } from "../../../platform/http1/message/body.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { UsageOptions } from "./schema.ts";

/** Extracts the amounts of a response while it streams. */
export interface ResponseAmounts {
  /** The amount so far; undefined if the meter has none. */
  of(meter: string): number | undefined;
}

/** The sources of the amounts of meters. */
export class AmountSources {
  readonly #meters: [meter: string, source: UsageOptions["meters"][string]][];
  /** Whether bodies are read: those must not be compressed. */
  readonly readsBodies: boolean;

  constructor(meters: UsageOptions["meters"]) {
    this.#meters = Object.entries(meters);
    this.readsBodies = this.#meters.some(([, { pointer, event }]) => (pointer ?? event) !== undefined);
  }

  /** Observes the body without delaying it. A header takes precedence over the body. */
  read(response: HttpResponse): ResponseAmounts {
    const type = (response.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
    const isStream = type === "text/event-stream";
    const inBody = this.#meters.flatMap(([meter, { pointer, event }]) => {
      const path = isStream ? event : pointer;
      return path === undefined ? [] : { meter, path };
    });
    const pointers = inBody.map(({ path }) => path);
    const numbers = isStream ? new EventNumbers(pointers) : new JsonNumbers(pointers);
    if (pointers.length > 0) observe(response, numbers);
    const headers = new Map(
      this.#meters.map(([meter, { header }]) => [meter, header && numberIn(response.headers.get(header))] as const),
    );
    return {
      of: (meter) => {
        const inHeader = headers.get(meter);
        if (typeof inHeader === "number") return inHeader;
        return notNegative(numbers.values[inBody.findIndex((one) => one.meter === meter)]);
      },
    };
  }
}

function observe(response: HttpResponse, numbers: JsonNumbers | EventNumbers): void {
  const { body } = response;
  if (body instanceof Body) body.observe({ piece: (bytes) => numbers.push(bytes), end: () => numbers.end() });
  else if (body !== undefined) {
    numbers.push(Buffer.from(body));
    numbers.end();
  }
}

function numberIn(header: string | null): number | undefined {
  return header !== null && /^\d+(?:\.\d+)?$/.test(header.trim()) ? Number(header) : undefined;
}

function notNegative(value: number | undefined): number | undefined {
  return value !== undefined && value >= 0 ? value : undefined;
}
