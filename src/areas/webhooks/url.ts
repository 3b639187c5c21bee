/** Returns why the URL of a webhook is invalid, or undefined. The egress rules check its destination later. */
export function urlError(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be an http or https URL";
  const { protocol, username, password, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "must be an http or https URL";
  if (username !== "" || password !== "") return "must not contain a user or password";
  if (hash !== "") return "must not have a fragment";
  return undefined;
}
