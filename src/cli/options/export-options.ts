import type { Environment } from "../../config/config.ts";
import { flag } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

export const credentialOption = { credential: flag("replace the credential by that of the environment") };

/** The credential of the environment, so that no secret is part of a command line. */
export function s3Credential(environment: Environment) {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  const sessionToken = environment.AWS_SESSION_TOKEN || undefined;
  if (!accessKeyId || !secretAccessKey)
    throw new UsageError("The credential is missing.", "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}
