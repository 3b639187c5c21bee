import { hash } from "node:crypto";
import type { Answer } from "../core/http/response.ts";
import { invalid, Problem } from "../core/problems/problem.ts";
import { type Keyring, MissingKey } from "../lib/keyring.ts";
import type { HttpRequest } from "../platform/http1/http-request.ts";
import { removeInPieces } from "../platform/storage/removal.ts";
import type { Storage, WriteTransaction } from "../platform/storage/storage.ts";
import { findAnswer, forgetAnswer, forgetAnswersBefore, rememberAnswer } from "./idempotency-store.ts";

const keptMilliseconds = 24 * 60 * 60 * 1000;
const sealPurpose = "idempotency";

/** Refusals that the state of the moment decided are remembered too; the others come out the same by themselves. */
const rememberedRefusals = new Set([404, 409, 412]);

export interface IdempotentRequest {
  /** A key belongs to the credential that sent it. */
  credential: string;
  key: string;
  fingerprint: Buffer;
  now: number;
}

export interface IdempotentWork {
  /** What has to be waited for outside the transaction. */
  before: (() => Promise<void>) | undefined;
  work(transaction: WriteTransaction): Promise<Answer>;
  refusal(problem: Problem): Answer;
}

/** Makes a repeated POST answer what the first one did, for 24 hours and across restarts. */
export class Idempotency {
  readonly #underWay = new Set<string>();

  constructor(
    private readonly storage: Storage,
    private readonly keyring: Keyring,
  ) {}

  async run(request: IdempotentRequest, { before, work, refusal }: IdempotentWork): Promise<Answer> {
    const lock = lockOf(request);
    if (this.#underWay.has(lock)) throw inProgress();
    this.#underWay.add(lock);
    try {
      if (before && !(await findAnswer(this.storage.reads, request.credential, request.key))) await before();
      return await this.#once(request, work);
    } catch (error) {
      if (!(error instanceof Problem) || !rememberedRefusals.has(error.status) || error.code === "request_in_progress")
        throw error;
      // The refused transaction is undone, also what it said about the key: another node may have come first.
      const answer = refusal(error);
      return await this.#once(request, async () => answer);
    } finally {
      this.#underWay.delete(lock);
    }
  }

  /** The answer is stored by the transaction that has the effect: there is no moment with one and not the other. */
  #once(request: IdempotentRequest, work: (transaction: WriteTransaction) => Promise<Answer>): Promise<Answer> {
    return this.storage.write(async (transaction) => {
      // Another node may be at it; on this one `#underWay` already told.
      if (!(await transaction.tryLock(lockOf(request)))) throw inProgress();
      const stored = await this.#stored(transaction, request);
      if (stored) return stored;
      const answer = await work(transaction);
      await this.#remember(transaction, request, answer);
      return answer;
    });
  }

  /** Removes what is older than the promise, a little at a time. */
  forgetOld(now: number, signal?: AbortSignal): Promise<void> {
    return removeInPieces(
      this.storage,
      (transaction, rows) => forgetAnswersBefore(transaction, now - keptMilliseconds, rows),
      { signal },
    );
  }

  async #stored(transaction: WriteTransaction, request: IdempotentRequest): Promise<Answer | undefined> {
    const row = await findAnswer(transaction, request.credential, request.key);
    if (!row) return undefined;
    if (row.created_on <= request.now - keptMilliseconds) {
      await forgetAnswer(transaction, request.credential, request.key);
      return undefined;
    }
    if (!request.fingerprint.equals(row.fingerprint)) throw new Problem("idempotency_key_reused");
    const answer = this.#open(row.answer);
    return { ...answer, headers: { ...answer.headers, "idempotency-replayed": "true" } };
  }

  #open(sealed: Uint8Array): Answer {
    try {
      return JSON.parse(this.keyring.open(sealed, sealPurpose)) as Answer;
    } catch (error) {
      // Not done again: the first request had its effect.
      throw error instanceof MissingKey ? new Problem("idempotent_response_lost") : error;
    }
  }

  async #remember(transaction: WriteTransaction, request: IdempotentRequest, answer: Answer): Promise<void> {
    await rememberAnswer(transaction, {
      credential: request.credential,
      key: request.key,
      fingerprint: request.fingerprint,
      answer: this.keyring.seal(JSON.stringify(answer), sealPurpose),
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

export function fingerprintOf(path: string, search: string, body: string): Buffer {
  return hash("sha256", `${path}?${search}\n${body}`, "buffer");
}

function lockOf({ credential, key }: IdempotentRequest): string {
  return `${credential} ${key}`;
}

function inProgress(): Problem {
  return new Problem("request_in_progress", { retryAfterSeconds: 1 });
}
