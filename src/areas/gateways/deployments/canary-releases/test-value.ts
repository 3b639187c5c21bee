import type { Keyring } from "../../../../lib/crypto/keyring.ts";
import type { TestValues } from "./canary-traffic.ts";

export const testHeader = "x-tollgate-version" as const;

const validMilliseconds = 60 * 60 * 1000;

/** Longer values are not ours. */
const longestValue = 256;

const purpose = "traffic-test";

/** Values that select a version of a canary release. They are encrypted, which also authenticates them. */
export class SealedTestValues implements TestValues {
  constructor(private readonly keyring: Keyring) {}

  issue(
    { deploymentSeq, versionSeq }: { deploymentSeq: number; versionSeq: number },
    now: number,
  ): { value: string; expiresOn: number } {
    const expiresOn = now + validMilliseconds;
    const sealed = this.keyring.seal(JSON.stringify([deploymentSeq, versionSeq, expiresOn]), purpose);
    return { value: sealed.toString("base64url"), expiresOn };
  }

  open(value: string, deploymentSeq: number, now: number): number | undefined {
    if (value.length > longestValue) return undefined;
    let opened: string;
    try {
      opened = this.keyring.open(Buffer.from(value, "base64url"), purpose);
    } catch {
      return undefined;
    }
    const [ofDeployment, versionSeq, expiresOn] = JSON.parse(opened) as [number, number, number];
    return ofDeployment === deploymentSeq && now < expiresOn ? versionSeq : undefined;
  }
}
