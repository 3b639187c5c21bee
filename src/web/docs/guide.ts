/** What a guide does with scripts: search, copy, and another theme. The page itself is complete without them. */
import { excerptOf, type SearchIndex, search } from "../reference/search.ts";

const { documentElement } = document;
let index: Promise<SearchIndex[]> | undefined;

for (const field of document.querySelectorAll<HTMLInputElement>(".docs-search input")) {
  const navigation = field.closest("nav")!;
  const results = document.createElement("ul");
  results.ariaLabel = "Results";
  const show = async () => {
    index ??= fetch("/docs/pages/search.json").then((response) => response.json());
    const pages = await index;
    const isSearching = field.value.trim() !== "";
    const found = isSearching ? search(pages, field.value) : [];
    results.replaceChildren(...found.map((each) => resultOf(each, field.value)));
    if (isSearching && found.length === 0) results.append(element("li", "docs-none", "Nothing found."));
    navigation.toggleAttribute("data-searching", isSearching);
  };
  navigation.append(results);
  field.addEventListener("focus", show, { once: true });
  field.addEventListener("input", show);
  field.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") results.querySelector("a")?.click();
  });
}

function resultOf({ api, entry, group }: ReturnType<typeof search>[number], searched: string): HTMLElement {
  const link = element("a", "");
  link.href = entry.page === "" ? api.base : `${api.base}/${entry.page}`;
  link.append(element("span", "docs-label", entry.label), element("span", "faint small", entry.method ?? group));
  const excerpt = excerptOf(entry, searched);
  if (excerpt !== "") link.append(element("span", "docs-excerpt", excerpt));
  const item = element("li", "");
  item.append(link);
  return item;
}

function element<Tag extends "a" | "li" | "span">(tag: Tag, className: string, text = ""): HTMLElementTagNameMap[Tag] {
  return Object.assign(document.createElement(tag), { className, textContent: text });
}

// "/" leads to the search, as on many sites.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  document.querySelector<HTMLInputElement>(".docs-side .docs-search input")!.focus();
});

for (const button of document.querySelectorAll<HTMLButtonElement>(".code-block button"))
  button.addEventListener("click", async () => {
    const code = button.closest(".code-block")!.querySelector("pre")!;
    getSelection()?.selectAllChildren(code);
    await navigator.clipboard?.writeText(code.textContent ?? "");
    button.title = "Copied";
    button.dataset.kind = "primary";
    setTimeout(() => {
      button.dataset.kind = "quiet";
    }, 1500);
  });

document.querySelector("[data-theme-button]")!.addEventListener("click", () => {
  const isDark = (documentElement.dataset.theme ?? systemTheme()) === "dark";
  documentElement.dataset.theme = isDark ? "light" : "dark";
  localStorage.setItem("tollgate-theme", documentElement.dataset.theme);
});

function systemTheme(): string {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

// Sections that have moved to other pages since their addresses were published.
const moved = document.querySelector<HTMLMetaElement>("meta[name=moved]");
const target = moved && (JSON.parse(moved.content) as Record<string, string>)[location.hash.slice(1)];
if (target) location.replace(target);
