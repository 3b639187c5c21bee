import type { AccountReference, Caller } from "../core/access.ts";
import { Problem } from "../core/problems/problem.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import { FailedCredentials } from "./failed-credentials.ts";

/** Finds the caller of a credential, synchronously if it is cached. Returns undefined if the credential is unknown. */
interface Authenticator {
  authenticate(token: string, now: number): Caller | undefined | Promise<Caller | undefined>;
  /** For the operator, who may access any account. */
  findAccount(name: string): Promise<AccountReference | undefined>;
}

/** Browser sessions. */
interface BrowserSessions {
  /** Returns undefined without a valid session. Throws for a write from another origin. */
  authenticate(request: HttpRequest, now: number): Caller | undefined | Promise<Caller | undefined>;
  /** For sign-in: throws unless a page of this server sent the request, with JSON if it has a body. */
  checkOrigin(request: HttpRequest): void;
}

/** Finds the caller of a request. */
export interface CallerFinder {
  /** Synchronous if the credential is cached. Throws a 401 without a valid credential. */
  callerOf(request: HttpRequest, now: number): Caller | Promise<Caller>;
  /** Returns the problem for a failed credential of this client: `problem`, or a 429 after too many. */
  countFailure(request: HttpRequest, now: number, problem: Problem): Problem;
  /** For sign-in: throws unless a page of this server sent the request, with JSON if it has a body. */
  checkOrigin(request: HttpRequest): void;
  /** For the operator, who may access any account. */
  findAccount(name: string): Promise<AccountReference | undefined>;
}

/** Finds the caller by the token of a request, or by its browser session. */
export class Credentials implements CallerFinder {
  readonly #failures = new FailedCredentials();

  constructor(
    private readonly authenticator: Authenticator,
    private readonly sessions: BrowserSessions,
  ) {}

  callerOf(request: HttpRequest, now: number): Caller | Promise<Caller> {
    const header = request.headers.get("authorization");
    if (header === null) return this.#callerOfSession(request, now);
    if (!header.startsWith("Bearer ") && !/^bearer /i.test(header)) throw this.#failedCredential(request, now);
    const caller = this.authenticator.authenticate(header.slice(7), now);
    if (caller instanceof Promise)
      return caller.then((found) => {
        if (!found) throw this.#failedCredential(request, now);
        return found;
      });
    if (!caller) throw this.#failedCredential(request, now);
    return caller;
  }

  checkOrigin(request: HttpRequest): void {
    this.sessions.checkOrigin(request);
  }

  findAccount(name: string): Promise<AccountReference | undefined> {
    return this.authenticator.findAccount(name);
  }

  #callerOfSession(request: HttpRequest, now: number): Caller | Promise<Caller> {
    if (!request.headers.has("cookie")) throw new Problem("unauthenticated");
    const caller = this.sessions.authenticate(request, now);
    return caller instanceof Promise ? caller.then(known) : known(caller);
  }

  #failedCredential(request: HttpRequest, now: number): Problem {
    return this.countFailure(request, now, new Problem("unauthenticated"));
  }

  countFailure(request: HttpRequest, now: number, problem: Problem): Problem {
    return this.#failures.count(request.ip, now, problem);
  }
}

function known(caller: Caller | undefined): Caller {
  if (!caller) throw new Problem("unauthenticated");
  return caller;
}
