/** What a token may do. The operator's token is configured, not stored. */
export type TokenRole = "admin" | "editor" | "reader" | "verifier";
export type Role = TokenRole | "operator";

export interface AccountReference {
  seq: number;
  id: string;
  name: string;
}

/** Who sent a request. */
export interface Caller {
  /** The id of the token, or `operator`. */
  id: string;
  role: Role;
  /** The token's account; the operator has none of its own. */
  account: AccountReference | undefined;
  /** The id of the browser's session that stands for the token. */
  session?: string;
  /** The token's name, if it has one. */
  name?: string | undefined;
}

/** Who acts: a program with a token, a person, the operator, or the server by itself. */
export type ActorType = "token" | "person" | "operator" | "system";

/** What an endpoint requires of its caller, and which roles have it. */
export const access = {
  /** Reads; keys are masked at most for a reader. */
  read: ["reader", "editor", "admin", "operator"],
  edit: ["editor", "admin", "operator"],
  /** What a gateway needs, and nothing more. */
  verify: ["verifier", "editor", "admin", "operator"],
  administer: ["admin", "operator"],
  operate: ["operator"],
  any: ["verifier", "reader", "editor", "admin", "operator"],
  /** No token is needed, and none is read: the address itself is the credential. */
  anyone: [],
} as const satisfies Record<string, Role[]>;

export type Access = keyof typeof access;

export function allows(needed: Access, role: Role): boolean {
  return (access[needed] as readonly Role[]).includes(role);
}

/** On whose behalf a rule acts, and when. */
export interface Act {
  account: AccountReference;
  /** The id of the token, `operator`, or `system`. */
  actor: string;
  /** `system` where it is left out. */
  actorType?: ActorType | undefined;
  actorName?: string | undefined;
  /** The request that caused it, and where that came from; jobs have neither. */
  requestId?: string | undefined;
  ip?: string | undefined;
  now: number;
}
