import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import type { Clock } from "../../../lib/time/clock.ts";
import { type AcmeAuthorization, AcmeClient, type AcmeOrder } from "./acme-client.ts";
import { AcmeError, acmeRequest } from "./acme-request.ts";

interface AcmeDirectoryOptions {
  directory: string;
  email: string | undefined;
  /** PEM: verifies the directory's own certificate. */
  authority: string | undefined;
  clock: Clock;
  /** PEM, the same on every node. */
  accountKey(): Promise<string>;
  challenges: Challenges;
}

/** Stores challenges so that every node can respond to them. */
export interface Challenges {
  put(token: string, keyAuthorization: string): Promise<void>;
  remove(token: string): Promise<void>;
}

/** In PEM. */
interface OrderedCertificate {
  chain: string;
  key: string;
}

/** The intervals at which the authority is polled: short at first, then longer. */
const pollMilliseconds = [250, 500, 1000, 2000, 3000, 5000, 5000, 5000, 10_000, 10_000, 10_000, 10_000, 10_000];

/** Orders certificates from an authority by ACME (RFC 8555), proving hosts by HTTP-01. */
export class AcmeDirectory {
  #client: Promise<AcmeClient> | undefined;
  #signal = new AbortController().signal;

  constructor(private readonly options: AcmeDirectoryOptions) {}

  /** Throws an AcmeError. After an abort it rejects with any error. */
  async order(host: string, signal: AbortSignal): Promise<OrderedCertificate> {
    this.#signal = signal;
    this.#client ??= this.#register();
    try {
      return await this.#order(await this.#client, host, signal);
    } catch (error) {
      // The next order registers again, in case the authority no longer knows the account.
      this.#client = undefined;
      throw error;
    }
  }

  async #order(client: AcmeClient, host: string, signal: AbortSignal): Promise<OrderedCertificate> {
    const order = await client.createOrder(host);
    const tokens: string[] = [];
    try {
      for (const authorization of await client.authorizations(order))
        if (authorization.status !== "valid") tokens.push(await this.#prove(client, authorization));
      await poll(signal, () => this.#areProven(client, order));
    } finally {
      for (const token of tokens) await this.options.challenges.remove(token);
    }
    const key = newCertificateKey();
    await client.finalize(order, certificateRequest(host, key));
    const issued = await poll(signal, () => issuedOrder(client, order));
    return { chain: await client.certificate(issued), key };
  }

  /** An existing account is found by its key. */
  async #register(): Promise<AcmeClient> {
    const { directory, email, authority, clock, accountKey } = this.options;
    const request = acmeRequest({ clock, authority, signal: () => this.#signal });
    return AcmeClient.register(request, { directory, key: await accountKey(), email });
  }

  async #prove(client: AcmeClient, authorization: AcmeAuthorization): Promise<string> {
    const challenge = authorization.challenges.find(({ type }) => type === "http-01");
    if (!challenge || !("token" in challenge)) throw new AcmeError("The authority offers no HTTP-01 challenge");
    await this.options.challenges.put(challenge.token, client.keyAuthorization(challenge));
    await client.completeChallenge(challenge);
    return challenge.token;
  }

  async #areProven(client: AcmeClient, order: AcmeOrder): Promise<true | undefined> {
    const authorizations = await client.authorizations(order);
    for (const { status, challenges } of authorizations)
      if (status !== "valid" && status !== "pending")
        throw new AcmeError(reasonOf(challenges) ?? `The proof is ${status}`);
    return authorizations.every(({ status }) => status === "valid") || undefined;
  }
}

async function issuedOrder(client: AcmeClient, { url }: AcmeOrder): Promise<AcmeOrder | undefined> {
  const current = await client.order(url);
  if (current.status === "invalid") throw new AcmeError(reasonOf([current]) ?? "The authority rejected the order");
  return current.status === "valid" ? current : undefined;
}

function reasonOf(failed: readonly Pick<AcmeOrder, "error">[]): string | undefined {
  return failed.map(({ error }) => error?.detail).find((detail) => detail);
}

async function poll<Result>(signal: AbortSignal, check: () => Promise<Result | undefined>): Promise<Result> {
  for (const milliseconds of pollMilliseconds) {
    const result = await check();
    if (result !== undefined) return result;
    await pause(milliseconds, signal);
  }
  throw new AcmeError("The authority took too long");
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

export function newCertificateKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ format: "pem", type: "pkcs8" }).toString();
}

/** The tags of ASN.1 (ITU-T X.690) that a certificate request uses. */
const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  sequence: 0x30,
  dnsName: 0x82,
  attributes: 0xa0,
  set: 0x31,
};

/** DER of object identifiers. */
const ids = {
  // 1.2.840.10045.4.3.2
  ecdsaWithSha256: Buffer.from("06082a8648ce3d040302", "hex"),
  // 1.2.840.113549.1.9.14
  extensionRequest: Buffer.from("06092a864886f70d01090e", "hex"),
  // 2.5.29.17
  subjectAltName: Buffer.from("0603551d11", "hex"),
};

/** A request for a certificate of one host (PKCS #10, RFC 2986), in DER. The key is one of P-256, in PEM. */
export function certificateRequest(host: string, key: string): Buffer {
  const names = der(tags.sequence, der(tags.dnsName, Buffer.from(host, "ascii")));
  const extension = der(tags.sequence, ids.subjectAltName, der(tags.octetString, names));
  const attribute = der(tags.sequence, ids.extensionRequest, der(tags.set, der(tags.sequence, extension)));
  const info = der(
    tags.sequence,
    der(tags.integer, Buffer.from([0])),
    // An empty subject: authorities read the alternative names only.
    der(tags.sequence),
    createPublicKey(key).export({ format: "der", type: "spki" }),
    der(tags.attributes, attribute),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", info, key)]);
  return der(tags.sequence, info, der(tags.sequence, ids.ecdsaWithSha256), der(tags.bitString, signature));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

/** Up to 127 in one byte, else the number of bytes that follow, and these. */
function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
