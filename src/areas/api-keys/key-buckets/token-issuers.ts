/** An issuer whose tokens may name consumers of a key bucket. */
export interface TokenIssuer {
  issuer: string;
  /** The claim with the name of the consumer. */
  claim: string;
  /** Where the keys are, if they are not found by discovery. */
  jwksUrl?: string | undefined;
}

/** The options of a `jwt` policy that decide which consumer its tokens identify. */
export interface TokenMapping {
  issuer?: string | undefined;
  jwksUrl?: string | undefined;
  keys?: unknown;
  mapToConsumer?: { claim: string; bucket: string } | undefined;
}

export function tokenIssuersOf({ token_issuers }: { token_issuers: string | null }): TokenIssuer[] {
  return token_issuers === null ? [] : JSON.parse(token_issuers);
}

/**
 * Whether a bucket lists the issuer of a policy, with the same claim and the same place of the keys. Keys in the policy
 * itself are never listed: the author of the policy could sign tokens for any subject.
 */
export function listsIssuer(
  bucket: { token_issuers: string | null } | undefined,
  { issuer, jwksUrl, keys, mapToConsumer }: TokenMapping,
): boolean {
  if (!bucket || issuer === undefined || keys !== undefined) return false;
  return tokenIssuersOf(bucket).some(
    (listed) => listed.issuer === issuer && listed.claim === mapToConsumer?.claim && listed.jwksUrl === jwksUrl,
  );
}
