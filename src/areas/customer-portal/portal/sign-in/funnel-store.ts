import type { Reads } from "../../../../platform/storage/storage.ts";

export interface SignedUp {
  name: string;
  email: string;
  display_name: string | null;
  created_on: number;
  /** When the oldest key that exists was created. */
  first_key_on: number | null;
}

/** The customers who signed up at a portal and still exist, the newest first. */
export function signedUp(reads: Reads, portalSeq: number): Promise<SignedUp[]> {
  return reads.all(
    `SELECT consumers.name, portal_sign_ups.email, consumers.display_name, portal_sign_ups.created_on,
       (SELECT MIN(api_keys.created_on) FROM api_keys WHERE api_keys.consumer_seq = consumers.seq) AS first_key_on
     FROM portal_sign_ups JOIN consumers ON consumers.seq = portal_sign_ups.consumer_seq
     WHERE portal_sign_ups.portal_seq = ? ORDER BY portal_sign_ups.seq DESC`,
    [portalSeq],
  );
}
