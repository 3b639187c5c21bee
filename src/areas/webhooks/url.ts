/** What is wrong with the address of a webhook, if anything. Where it leads is for the egress rules to judge. */
export function urlError(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be an http or https URL";
  const { protocol, username, password, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "must be an http or https URL";
  if (username !== "" || password !== "") return "must not hold a user or password";
  if (hash !== "") return "must not have a fragment";
  return undefined;
}
