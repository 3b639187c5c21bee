import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { started, stopped } from "./left-running.ts";

const types = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const;
export type RecordType = keyof typeof types;

const headerBytes = 12;
const nameError = 3;
const serverFailure = 2;

/** A DNS server on loopback with the records that a test gives it. It follows CNAME records, as a resolver does. */
export class DnsServer {
  readonly #socket: Socket = createSocket("udp4");
  readonly #records = new Map<string, string[]>();
  /** The queried names, with the type of the record. */
  readonly queries: string[] = [];
  /** A simulated failure. */
  trouble: "none" | "failure" | "silence" = "none";

  async start(): Promise<void> {
    this.#socket.on("message", (message, sender) => this.#answer(message, sender));
    this.#socket.bind(0, "127.0.0.1");
    await once(this.#socket, "listening");
    started(this, "A DNS server");
  }

  /** The value for TOLLGATE_DNS_SERVERS. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  set(type: RecordType, name: string, ...values: string[]): void {
    this.#records.set(`${type} ${name.toLowerCase()}`, values);
  }

  add(type: RecordType, name: string, value: string): void {
    this.set(type, name, ...new Set([...this.get(type, name), value]));
  }

  remove(type: RecordType, name: string, value: string): void {
    this.set(type, name, ...this.get(type, name).filter((each) => each !== value));
  }

  get(type: RecordType, name: string): string[] {
    return this.#records.get(`${type} ${name.toLowerCase()}`) ?? [];
  }

  clear(): void {
    this.#records.clear();
    this.trouble = "none";
  }

  stop(): void {
    stopped(this);
    this.#socket.close();
  }

  #answer(message: Buffer, sender: RemoteInfo): void {
    if (this.trouble === "silence") return;
    const { name, type, end } = readQuestion(message);
    this.queries.push(`${type} ${name}`);
    const answers = this.trouble === "failure" || type === undefined ? [] : this.#resolve(name, type);
    const code = this.trouble === "failure" ? serverFailure : answers.length === 0 ? nameError : 0;
    const header = Buffer.alloc(headerBytes);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    const response = Buffer.concat([header, message.subarray(headerBytes, end), ...answers]);
    this.#socket.send(response, sender.port, sender.address);
  }

  #resolve(name: string, type: RecordType): Buffer[] {
    const found = this.get(type, name).map((value) => record(name, type, value));
    if (found.length > 0 || type === "CNAME") return found;
    const [alias] = this.get("CNAME", name);
    return alias === undefined ? [] : [record(name, "CNAME", alias), ...this.#resolve(alias, type)];
  }
}

function readQuestion(message: Buffer): { name: string; type: RecordType | undefined; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  while (message[at] !== 0) {
    const length = message[at]!;
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  const typeCode = message.readUInt16BE(at + 1);
  const type = (Object.keys(types) as RecordType[]).find((each) => types[each] === typeCode);
  return { name: labels.join(".").toLowerCase(), type, end: at + 5 };
}

function record(name: string, type: RecordType, value: string): Buffer {
  const data = dataOf(type, value);
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(types[type], 0);
  fields.writeUInt16BE(1, 2);
  // A long TTL: a cache would return a stale record.
  fields.writeUInt32BE(3600, 4);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodedName(name), fields, data]);
}

function dataOf(type: RecordType, value: string): Buffer {
  switch (type) {
    case "A":
      return Buffer.from(value.split(".").map(Number));
    case "AAAA":
      return Buffer.from(
        value.split(":").flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
      );
    case "CNAME":
      return encodedName(value);
    case "TXT":
      // Split into strings of at most 255 bytes, as required for long values, with null characters around.
      return Buffer.concat(
        (value.match(/[^\0]{1,255}/g) ?? [""]).map((part) =>
          Buffer.concat([Buffer.from([part.length]), Buffer.from(part)]),
        ),
      );
  }
}

function encodedName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}
