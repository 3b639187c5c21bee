import { hash } from "node:crypto";
import type { Keyring } from "../../lib/crypto/keyring.ts";

const purpose = "assistant-confirmation";
const validMilliseconds = 10 * 60 * 1000;
/** Longer states are not ours. */
const longestState = 1024;

/** What a person confirms: this operation with these arguments, called with this credential. */
interface Confirmed {
  /** The id of the caller's credential. */
  actor: string;
  operationId: string;
  arguments: object;
}

/** `id` identifies the confirmation, so that it is used once. */
type OpenedState = { id: string } | "expired" | "invalid";

/**
 * The state of a confirmation, which the client returns with the person's decision. It is encrypted, which also
 * authenticates it, so that no node has to store it.
 */
export class Confirmations {
  constructor(private readonly keyring: Keyring) {}

  issue(confirmed: Confirmed, now: number): string {
    const state = [crypto.randomUUID(), confirmed.actor, digestOf(confirmed), now + validMilliseconds];
    return this.keyring.seal(JSON.stringify(state), purpose).toString("base64url");
  }

  open(state: string, confirmed: Confirmed, now: number): OpenedState {
    if (state.length > longestState) return "invalid";
    let opened: string;
    try {
      opened = this.keyring.open(Buffer.from(state, "base64url"), purpose);
    } catch {
      return "invalid";
    }
    const [id, actor, digest, expiresOn] = JSON.parse(opened) as [string, string, string, number];
    if (actor !== confirmed.actor || digest !== digestOf(confirmed)) return "invalid";
    return now < expiresOn ? { id } : "expired";
  }
}

function digestOf({ operationId, arguments: given }: Confirmed): string {
  return hash("sha256", JSON.stringify([operationId, sorted(given)]), "base64url");
}

/** Members in the order of their names: clients may write the same arguments in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
