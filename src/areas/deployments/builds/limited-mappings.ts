import type { Artifact } from "../../../core/artifact/artifact.ts";
import type { BuildMessage } from "../../../core/artifact/build-report.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { findKeyBucketIfAny } from "../../key-buckets/key-buckets.ts";
import { listsIssuer, type TokenMapping } from "../../key-buckets/token-issuers.ts";

/**
 * The errors of policies that would map tokens to consumers although a caller with limited access chose their options and
 * the key bucket does not list the issuer. The gateway rejects such tokens too, because the list may change.
 */
export async function limitedMappingErrors(
  reads: Reads,
  accountSeq: number,
  { isLimited, limitedPolicies = [], policies }: Artifact,
): Promise<BuildMessage[]> {
  const errors: BuildMessage[] = [];
  for (const [name, { type, options }] of Object.entries(policies)) {
    const mapping = type === "jwt" ? (options as TokenMapping) : {};
    const { mapToConsumer } = mapping;
    if (!mapToConsumer || !(isLimited || limitedPolicies.includes(name))) continue;
    if (listsIssuer(await findKeyBucketIfAny(reads, accountSeq, mapToConsumer.bucket), mapping)) continue;
    const why = isLimited
      ? "your role is limited"
      : "a variable in its options was set by a caller whose role is limited";
    const message =
      `the policy "${name}" maps tokens to consumers of the key bucket "${mapToConsumer.bucket}", and ${why}: an editor of the ` +
      `account has to add the issuer and the claim "${mapToConsumer.claim}" to the bucket's "tokenIssuers"`;
    errors.push({ file: "tollgate.json", line: 1, column: 1, message });
  }
  return errors;
}
