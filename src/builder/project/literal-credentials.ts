import type { Located } from "../documents/located.ts";

/**
 * Warns of credentials of models' providers that are written in tollgate.json: the artifact contains them as they are.
 * @param settings tollgate.json before its variables are resolved
 */
export function warnOfLiteralCredentials(settings: Located): void {
  for (const provider of settings.member("models")?.member("providers")?.members() ?? []) {
    const credential = provider.member("credential");
    if (typeof credential?.value !== "string" || credential.value.includes("${")) continue;
    const name = `${provider.name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_API_KEY`;
    credential.warning(
      `the credential is stored in plain text: write "\${${name}}" and set it with \`tollgate variables set ${name} --secret\``,
    );
  }
}
