import { hash } from "node:crypto";
import type { PlainResponse } from "../core/http/response.ts";
import { invalid, Problem } from "../core/problems/problem.ts";
import { type Keyring, MissingKey } from "../lib/crypto/keyring.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import { removeInPieces } from "../platform/storage/removal.ts";
import type { Storage, WriteTransaction } from "../platform/storage/storage.ts";
import { deleteResponse, deleteResponsesBefore, findResponse, storeResponse } from "./idempotency-store.ts";

const retentionMilliseconds = 24 * 60 * 60 * 1000;
const sealPurpose = "idempotency";

/** Errors that depend on the current state are stored too. The others are reproduced by a retry. */
const storedStatuses = new Set([404, 409, 412]);

interface IdempotentRequest {
  /** A key belongs to the credential that sent it. */
  credential: string;
  key: string;
  fingerprint: Buffer;
  now: number;
}

export interface IdempotentWork {
  /** Awaited outside the transaction. */
  before: (() => Promise<void>) | undefined;
  /** Whether `before` commits changes, which a repeated request continues. */
  beforeCommits?: boolean | undefined;
  work(transaction: WriteTransaction): Promise<PlainResponse>;
  problemResponse(problem: Problem): PlainResponse;
}

/** Replays the first response to a repeated POST, for 24 hours and across restarts. */
export class Idempotency {
  readonly #inProgress = new Set<string>();

  constructor(
    private readonly storage: Storage,
    private readonly keyring: Keyring,
  ) {}

  async run(request: IdempotentRequest, idempotent: IdempotentWork): Promise<PlainResponse> {
    const lock = lockOf(request);
    if (this.#inProgress.has(lock)) throw inProgress();
    this.#inProgress.add(lock);
    try {
      const { before, beforeCommits } = idempotent;
      if (beforeCommits) {
        const stored = await this.#claim(request);
        if (stored) return stored;
        // A problem is not stored: part of the work may be done, and the same request continues it.
        await before?.();
      }
      return await this.#runOnce(request, beforeCommits ? { ...idempotent, before: undefined } : idempotent);
    } finally {
      this.#inProgress.delete(lock);
    }
  }

  async #runOnce(request: IdempotentRequest, { before, work, problemResponse }: IdempotentWork) {
    try {
      if (before && !(await this.#hasResponse(request))) await before();
      return await this.#once(request, work);
    } catch (error) {
      if (!(error instanceof Problem) || !storedStatuses.has(error.status) || error.code === "request_in_progress")
        throw error;
      // The transaction was rolled back, including its check of the key: another node may have been first.
      const response = problemResponse(error);
      return await this.#once(request, async () => response);
    }
  }

  /** Reserves the key for this request on all nodes, so that another request with it has no effect. */
  #claim(request: IdempotentRequest): Promise<PlainResponse | undefined> {
    return this.storage.write(async (transaction) => {
      if (!(await transaction.tryLock(lockOf(request)))) throw inProgress();
      const stored = await this.#stored(transaction, request);
      if (!stored) await this.#store(transaction, request, undefined);
      return stored;
    });
  }

  async #hasResponse(request: IdempotentRequest): Promise<boolean> {
    const row = await findResponse(this.storage.reads, request.credential, request.key);
    return row !== undefined && !isExpired(row, request);
  }

  /** The effect and the response are stored in the same transaction. */
  #once(
    request: IdempotentRequest,
    work: (transaction: WriteTransaction) => Promise<PlainResponse>,
  ): Promise<PlainResponse> {
    return this.storage.write(async (transaction) => {
      // `#inProgress` covers this node, the lock covers the others.
      if (!(await transaction.tryLock(lockOf(request)))) throw inProgress();
      const stored = await this.#stored(transaction, request);
      if (stored) return stored;
      const response = await work(transaction);
      await this.#store(transaction, request, response);
      return response;
    });
  }

  /**
   * Runs work of an endpoint that changes something only with some bodies, in its own transaction. The result of the first
   * run is returned again, if `keeps` said so.
   */
  async once<Result>(
    transaction: WriteTransaction,
    request: IdempotentRequest,
    work: () => Promise<Result>,
    keeps: (result: Result) => boolean,
  ): Promise<Result> {
    if (!(await transaction.tryLock(lockOf(request)))) throw inProgress();
    const stored = await this.#stored(transaction, request);
    if (stored) return JSON.parse(textOf(stored)!) as Result;
    const result = await work();
    if (keeps(result))
      await this.#store(transaction, request, { type: "json", status: 200, headers: {}, body: JSON.stringify(result) });
    return result;
  }

  /** Deletes expired responses in small batches. */
  deleteExpired(now: number, signal?: AbortSignal): Promise<void> {
    return removeInPieces(
      this.storage,
      (transaction, rows) => deleteResponsesBefore(transaction, now - retentionMilliseconds, rows),
      { signal },
    );
  }

  async #stored(transaction: WriteTransaction, request: IdempotentRequest): Promise<PlainResponse | undefined> {
    const row = await findResponse(transaction, request.credential, request.key);
    if (!row) return undefined;
    if (isExpired(row, request)) {
      await deleteResponse(transaction, request.credential, request.key);
      return undefined;
    }
    if (!request.fingerprint.equals(row.fingerprint)) throw new Problem("idempotency_key_reused");
    const response = this.#open(row.answer);
    if (!response) {
      await deleteResponse(transaction, request.credential, request.key);
      return undefined;
    }
    return { ...response, headers: { ...response.headers, "idempotency-replayed": "true" } };
  }

  /** Null if the key is only reserved. */
  #open(sealed: Uint8Array): PlainResponse | null {
    try {
      return JSON.parse(this.keyring.open(sealed, sealPurpose)) as PlainResponse | null;
    } catch (error) {
      // The request must not run again, because the first one had its effect.
      throw error instanceof MissingKey ? new Problem("idempotent_response_lost") : error;
    }
  }

  async #store(
    transaction: WriteTransaction,
    request: IdempotentRequest,
    response: PlainResponse | undefined,
  ): Promise<void> {
    const content = response ? { ...response, body: textOf(response) } : null;
    await storeResponse(transaction, {
      credential: request.credential,
      key: request.key,
      fingerprint: request.fingerprint,
      answer: this.keyring.seal(JSON.stringify(content), sealPurpose),
      created_on: request.now,
    });
  }
}

export function idempotencyKeyOf(request: HttpRequest): string | undefined {
  const key = request.headers.get("idempotency-key");
  if (key === null) return undefined;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw invalid("Idempotency-Key", "must be 1 to 255 ASCII characters");
  return key;
}

function textOf({ body }: PlainResponse): string | null {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
}

export function fingerprintOf(path: string, search: string, body: string): Buffer {
  return hash("sha256", `${path}?${search}\n${body}`, "buffer");
}

function isExpired(row: { created_on: number }, { now }: IdempotentRequest): boolean {
  return row.created_on <= now - retentionMilliseconds;
}

function lockOf({ credential, key }: IdempotentRequest): string {
  return `${credential} ${key}`;
}

function inProgress(): Problem {
  return new Problem("request_in_progress", { retryAfterSeconds: 1 });
}
