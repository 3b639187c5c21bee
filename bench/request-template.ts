import { readFileSync } from "node:fs";
import type { LoadPlan } from "./load-plan.ts";

const slotMarker = "{slot}";

/** Renders requests as bytes. A connection owns one rendered request and replaces only its slot. */
export class RequestTemplate {
  slotsUsed = 0;
  readonly #bytes: Buffer;
  readonly #slotOffset: number;
  readonly #records: Buffer;
  readonly #recordCount: number;
  readonly #width: number;
  readonly #order: "rotate" | "random" | "once";
  #next: number;

  constructor(plan: LoadPlan, port: number) {
    this.#width = plan.slots?.width ?? 0;
    this.#order = plan.slots?.order ?? "rotate";
    this.#next = plan.slots?.first ?? 0;
    this.#records = plan.slots ? readFileSync(plan.slots.file) : Buffer.alloc(0);
    this.#recordCount = this.#width === 0 ? 0 : this.#records.length / this.#width;
    const text = renderRequest(plan, port, this.#width);
    this.#slotOffset = text.indexOf(slotMarker);
    this.#bytes = Buffer.from(text.replace(slotMarker, " ".repeat(this.#width)));
  }

  forConnection(): Buffer {
    return Buffer.from(this.#bytes);
  }

  /** Puts the next record into the slot; false when a "once" source is used up. */
  fill(request: Buffer): boolean {
    if (this.#slotOffset < 0) return true;
    if (this.#order === "once" && this.#next >= this.#recordCount) return false;
    const index =
      this.#order === "random" ? Math.floor(Math.random() * this.#recordCount) : this.#next++ % this.#recordCount;
    this.#records.copy(request, this.#slotOffset, index * this.#width, (index + 1) * this.#width);
    this.slotsUsed += 1;
    return true;
  }
}

function renderRequest(plan: LoadPlan, port: number, slotWidth: number): string {
  if (plan.slots?.isWhole) return slotMarker;
  const lines = [`${plan.method} ${plan.path} HTTP/1.1`, `Host: ${plan.host ?? `127.0.0.1:${port}`}`];
  if (plan.token !== undefined) lines.push(`Authorization: Bearer ${plan.token}`);
  for (const [name, value] of Object.entries(plan.headers ?? {})) lines.push(`${name}: ${value}`);
  if (plan.body !== undefined) {
    const markerSurplus = plan.body.includes(slotMarker) ? slotMarker.length - slotWidth : 0;
    lines.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(plan.body) - markerSurplus}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n${plan.body ?? ""}`;
}
