/** What is wrong with the URL of an API, as a sentence for its field. Undefined if a gateway can be put in front of it. */
export function targetError(text: string): string | undefined {
  if (!URL.canParse(text)) return "must be a whole URL, such as https://api.acme.example";
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "must begin with https:// or http://";
  if (username !== "" || password !== "")
    return "must not contain a user name or password: keep them in a variable and set them by the policy headers";
  if (search !== "" || hash !== "") return "must not contain a query or a fragment: it is the start of every address";
  return undefined;
}

/** A project's name for the URL: the most telling label of its host. */
export function projectNameOf(text: string): string {
  if (!URL.canParse(text)) return "";
  const { hostname } = new URL(text);
  const labels = hostname.split(".").filter((label) => !["www", "api", "com", "net", "org", "io"].includes(label));
  const isAddress = /^[\d.]+$|:/.test(hostname);
  const [label = ""] = isAddress ? ["my-api"] : labels;
  return label
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);
}
