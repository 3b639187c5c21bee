/** The role of a token. The operator's token is configured, not stored. */
export type TokenRole = "admin" | "editor" | "reader" | "verifier";
export type Role = TokenRole | "operator";

export interface AccountReference {
  seq: number;
  id: string;
  name: string;
}

/** The authenticated sender of a request. */
export interface Caller {
  /** The id of the token, or `operator`. */
  id: string;
  role: Role;
  /** The token's account; the operator has none of its own. */
  account: AccountReference | undefined;
  /** The id of the browser session that was opened with the token. */
  session?: string;
  /** The token's name, if it has one. */
  name?: string | undefined;
}

/** The type of an actor: a program with a token, a person, the operator, or the server itself. */
export type ActorType = "token" | "person" | "operator" | "system";

/** The access that an endpoint requires, and the roles that have it. */
export const access = {
  /** Read access. Keys are masked at most for a reader. */
  read: ["reader", "editor", "admin", "operator"],
  edit: ["editor", "admin", "operator"],
  /** The access that a gateway needs, and no more. */
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

/** The context of a change: the account, the actor and the time. */
export interface Act {
  account: AccountReference;
  /** The id of the token, `operator`, or `system`. */
  actor: string;
  /** The default is `system`. */
  actorType?: ActorType | undefined;
  actorName?: string | undefined;
  /** The request that caused the change, and its client address. Jobs have neither. */
  requestId?: string | undefined;
  ip?: string | undefined;
  now: number;
}
