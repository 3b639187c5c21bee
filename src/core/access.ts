/** The role of a person in an account. */
export const memberRoles = ["admin", "editor", "reader", "billing"] as const;
export type MemberRole = (typeof memberRoles)[number];
/** The role of a token. The operator's token is configured, not stored. */
export const tokenRoles = [...memberRoles, "verifier"] as const;
export type TokenRole = (typeof tokenRoles)[number];
/** A `manager` is a person of a customer, signed in to a portal. */
export type Role = TokenRole | "operator" | "manager";

export interface AccountReference {
  seq: number;
  id: string;
  name: string;
}

/** A row with its account. */
export interface OfAccount {
  account_seq: number;
  account_id: string;
  account_name: string;
}

export function accountOf({ account_seq: seq, account_id: id, account_name: name }: OfAccount): AccountReference {
  return { seq, id, name };
}

/** The role of a person in one project. */
export interface ProjectRole {
  project: string;
  role: "editor" | "reader";
}

export const environmentTypes = ["PRODUCTION", "PREVIEW"] as const;
export type EnvironmentType = (typeof environmentTypes)[number];

/** The deployments that a token is limited to. */
export interface DeploymentScope {
  environments: readonly EnvironmentType[];
  /** The branch to which a token is limited. Undefined for all branches. */
  branch?: string | undefined;
}

/** The role of a person in one account. */
export interface Membership {
  account: AccountReference;
  role: MemberRole;
  /** Set if the role is limited to these projects. */
  projects?: readonly ProjectRole[] | undefined;
  name?: string | undefined;
  /** The role comes from a claim of the identity provider, and counts only in sessions that it opened. */
  isFromClaim?: boolean;
}

/** The authenticated sender of a request. */
export interface Caller {
  type: "token" | "person" | "manager" | "operator";
  /** The id of the token or of the person, or `operator`. */
  id: string;
  role: Role;
  /** The account of the token or the chosen one of the person; the operator has none of its own. */
  account: AccountReference | undefined;
  /** The id of the browser session that the request came with. */
  session?: string;
  /** The only account in which the session of a person is valid, if it is limited to one. */
  sessionAccountSeq?: number | undefined;
  /** The name of the token, or the name or address of the person. */
  name?: string | undefined;
  /** The address of a person. */
  email?: string | undefined;
  /** The accounts of a person, in the order of joining. */
  memberships?: readonly Membership[] | undefined;
  /** Of a person or a token whose role is limited to these projects. */
  projects?: readonly ProjectRole[] | undefined;
  /** The deployments to which the role of a token is limited. */
  scope?: DeploymentScope | undefined;
  /** The actor in the audit log, if it is not the credential. */
  actor?: Actor | undefined;
  /** Of a portal session: the customer, and what the session may do. */
  customer?: CustomerAccess | undefined;
}

export interface Actor {
  type: ActorType;
  id: string;
  name?: string | undefined;
}

/** What a portal session may do, and for which customer. */
interface CustomerAccess {
  portalId: string;
  bucketName: string;
  consumer: { seq: number; id: string; name: string };
  scopes: readonly string[];
  /** Why the customer is suspended; an empty text without a reason. Undefined if it is not. */
  suspension?: string | undefined;
  /** The manager who signed in. Undefined for a hand-off. */
  managerId?: string | undefined;
}

/**
 * The type of an actor: a program with a token, a person, a customer's manager, a program that a customer has
 * authorized, the operator, or the server itself.
 */
export type ActorType = "token" | "person" | "manager" | "client" | "operator" | "system";

/** The access that an endpoint requires, and the roles that have it. */
export const access = {
  /** Read access. Keys are masked at most for readers and billing. */
  read: ["reader", "billing", "editor", "admin", "operator"],
  edit: ["editor", "admin", "operator"],
  /** Changes of plans, subscriptions, customers, grants, invoices, the billing profile, and clocks of test buckets. */
  bill: ["billing", "editor", "admin", "operator"],
  /** The access that a gateway needs, and no more. */
  verify: ["verifier", "editor", "admin", "operator"],
  administer: ["admin", "operator"],
  operate: ["operator"],
  any: ["verifier", "reader", "billing", "editor", "admin", "operator"],
  /** A portal session. No other endpoint accepts one. */
  customer: ["manager"],
  /** No token is needed, and none is read: the address itself is the credential. */
  anyone: [],
} as const satisfies Record<string, Role[]>;

export type Access = keyof typeof access;

export function allows(needed: Access, role: Role): boolean {
  return (access[needed] as readonly Role[]).includes(role);
}

/** Whether the role of a person in a project has the access. False for a project that the person has no role in. */
export function allowsInProject(
  needed: Access,
  projects: readonly ProjectRole[],
  project: string | undefined,
): boolean {
  const role = projects.find((each) => each.project === project)?.role;
  return role !== undefined && allows(needed, role);
}

/** Whether a token that is limited to some deployments may act on this one. */
export function allowsDeployment(
  { environments, branch }: DeploymentScope,
  deployment: { branch: string; isProduction: boolean },
): boolean {
  const environment = deployment.isProduction ? "PRODUCTION" : "PREVIEW";
  return environments.includes(environment) && (branch === undefined || branch === deployment.branch);
}

/** Whether what the caller builds must not become production. */
export function isForPreviews({ scope }: Caller): boolean {
  return scope !== undefined && !scope.environments.includes("PRODUCTION");
}

/** Whether the role of the caller is limited to projects or deployments. */
export function isLimited({ projects, scope }: Caller): boolean {
  return projects !== undefined || scope !== undefined;
}

/** The membership that a request acts in: the one of the named account, or the only one. */
export function membershipIn(memberships: readonly Membership[], accountName: string | undefined) {
  if (accountName === undefined) return memberships.length === 1 ? memberships[0] : undefined;
  return memberships.find(({ account }) => account.name === accountName);
}

/** The actor of what a caller does. */
export function actorOf({ id, type, name, actor }: Caller): Actor {
  return actor ?? { type, id, name };
}

/** The context of a change: the account, the actor and the time. */
export interface Act {
  account: AccountReference;
  /** The id of the token or the person, `operator`, or `system`. */
  actor: string;
  /** The default is `system`. */
  actorType?: ActorType | undefined;
  actorName?: string | undefined;
  /** The request that caused the change, and its client address. Jobs have neither. */
  requestId?: string | undefined;
  ip?: string | undefined;
  /** The assistant through which the actor does this, by the name that it reports. */
  assistant?: string | undefined;
  /** The time at which it takes effect: in a test bucket that of its clock, for a billing step when it was due. */
  now: number;
  /** The server's time, if `now` is another one. */
  serverTime?: number | undefined;
}

/** Who causes a change, and when, without the actor. */
export type Cause = Pick<Act, "account" | "now" | "serverTime">;

/** The server's time of a change. Ids and the audit log have no other: they are listed and removed in its order. */
export function serverTimeOf({ now, serverTime = now }: Pick<Act, "now" | "serverTime">): number {
  return serverTime;
}

/** The same act, with effect at another time. */
export function actAt<Of extends Pick<Act, "now" | "serverTime">>(act: Of, now: number): Of {
  return { ...act, now, serverTime: serverTimeOf(act) };
}

/** The act of the server itself, with effect at a time. */
export function systemAct(cause: Cause, now: number): Act {
  return { account: cause.account, actor: "system", now, serverTime: serverTimeOf(cause) };
}
