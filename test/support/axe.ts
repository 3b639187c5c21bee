import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

const axe = readFileSync(join(import.meta.dir, "../../node_modules/axe-core/axe.min.js"), "utf8");

/** The rules whose result depends on the theme. */
const colourRules = ["color-contrast", "link-in-text-block"];

/**
 * axe needs most of its time for the contrast of texts, and most texts look like others: each row of a table, and the frame of each
 * page. The rule is therefore not applied to a look that it has accepted before, and on a page with many new texts first to one of
 * each look. With accepted looks alone, the rules of colours are not run at all.
 */
const accepted = new Set<string>();
const maxRepeated = 40;

export interface Violation {
  id: string;
  /** Selectors of the first elements. */
  places: string[];
}

/** The violations of all rules, or of those whose result depends on the theme. */
export async function runAxe(page: Page, scope: "all" | "colours" = "all"): Promise<Violation[]> {
  const looks = (await page.evaluate(findTexts)) as (string | null)[];
  const isAccepted = (index: number) => looks[index] !== null && accepted.has(looks[index]!);
  const unknown = looks.keys().filter((index) => !isAccepted(index));
  const rules = scope === "colours" ? colourRules : undefined;
  if (rules && looks.every((_, index) => isAccepted(index))) return [];
  // Evaluated from outside the page, where its content security policy does not apply.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const groups = [...Map.groupBy(unknown, (index) => looks[index] ?? index).values()];
  const areMany = groups.flat().length > maxRepeated;
  const check = async (texts: number[], only?: string[]) => {
    const { violations, passed } = await checkTexts(page, texts, only);
    if (!violations.some(({ id }) => id === "link-in-text-block"))
      for (const index of passed) if (looks[index] !== null) accepted.add(looks[index]!);
    return violations;
  };
  const found = await check(areMany ? groups.map(([first]) => first!) : groups.flat(), rules);
  // The first text may be disabled or too short for the rule: then it is applied to the others with its look.
  const others = areMany ? groups.flatMap(([first, ...rest]) => (isAccepted(first!) ? [] : rest)) : [];
  return others.length === 0 ? found : [...found, ...(await check(others, ["color-contrast"]))];
}

/** Applies the rules, that of contrast only to these texts. Returns which of them passed. */
async function checkTexts(page: Page, texts: number[], rules?: string[]) {
  const script = `(async () => {
    const indexOf = new Map(${JSON.stringify(texts)}.map((index) => [window.foundTexts[index], index]));
    axe.configure({ rules: [{ id: "color-contrast", selector: "[data-unchecked]" }] });
    for (const element of indexOf.keys()) element.setAttribute("data-unchecked", "");
    // The reporters of axe compute a selector for each element that passed a rule.
    const reporter = (results, _, done) =>
      done({
        violations: results
          .filter(({ violations }) => violations.length > 0)
          .map(({ id, violations }) => ({ id, places: violations.slice(0, 4).map(({ node }) => node.selector.join(" ")) })),
        passed: results
          .filter(({ id }) => id === "color-contrast")
          .flatMap(({ passes }) => passes.map(({ node }) => indexOf.get(node.element))),
      });
    const found = await axe.run(document, { reporter, ...${JSON.stringify(rules && { runOnly: rules })} });
    for (const element of indexOf.keys()) element.removeAttribute("data-unchecked");
    return found;
  })()`;
  return (await page.evaluate(script)) as { violations: Violation[]; passed: number[] };
}

/**
 * Returns the look of each text that the rule of contrast applies to: its colours and font, the backgrounds of the elements around it, and how a link differs from
 * the text that it is in. Null if another element may be its background, because it is positioned.
 */
const findTexts = `(() => {
  const isText = (element) =>
    element.matches("input:not([type=checkbox], [type=radio]), select, textarea") ||
    [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
  const plain = "rgba(0, 0, 0, 0) none 1 none normal";
  const boxes = new Map();
  const boxOf = (element) => {
    const known = boxes.get(element);
    if (known) return known;
    const outer = element.parentElement ? boxOf(element.parentElement) : { look: "", isOver: false, isHidden: false };
    const style = getComputedStyle(element);
    const { backgroundColor, backgroundImage, opacity, filter, mixBlendMode, position, clipPath } = style;
    const own = [backgroundColor, backgroundImage, opacity, filter, mixBlendMode].join(" ");
    const isOpaque = backgroundColor.startsWith("rgb(") && opacity === "1";
    const isPositioned = position !== "static" && position !== "relative";
    const box = {
      style,
      look: own === plain ? outer.look : outer.look + own + "|",
      isOver: !isOpaque && (isPositioned || outer.isOver),
      // Texts for screen readers, and links that appear on focus, are clipped.
      isHidden: outer.isHidden || clipPath === "inset(50%)" || element.matches("[aria-hidden=true], [inert]"),
    };
    boxes.set(element, box);
    return box;
  };
  const inkOf = ({ color, fontFamily, fontSize, fontStyle, fontWeight, textDecoration, borderBottom, backgroundColor }) =>
    [color, fontFamily, fontSize, fontStyle, fontWeight, textDecoration, borderBottom, backgroundColor].join(" ");
  const linkLooks = new Map();
  const linkLookOf = (link) => {
    let block = link.parentElement;
    while (boxOf(block).style.display === "inline") block = block.parentElement;
    const isInText = block.textContent.trim() !== link.textContent.trim();
    return isInText ? [link, link.parentElement, block].map((element) => inkOf(boxOf(element).style)).join("|") : "";
  };
  const linkAround = (element) => {
    const link = element.closest("a[href]");
    if (link && !linkLooks.has(link)) linkLooks.set(link, linkLookOf(link));
    return link ? linkLooks.get(link) : "";
  };
  // axe does not apply the rule to these, so that they would never be accepted.
  const isExempt = (element) =>
    element.closest("option, :disabled, [aria-disabled=true]") !== null || !element.checkVisibility({ visibilityProperty: true });
  window.foundTexts = [...document.body.querySelectorAll("*")].filter(
    (element) => isText(element) && !boxOf(element).isHidden && !isExempt(element),
  );
  return window.foundTexts.map((element) => {
    const { style, look, isOver } = boxOf(element);
    if (isOver) return null;
    const { color, fontSize, fontWeight, textShadow, webkitTextStroke, webkitTextFillColor } = style;
    const own = [look, color, fontSize, fontWeight, textShadow, webkitTextStroke, webkitTextFillColor];
    return [...own, linkAround(element)].join(" ");
  });
})()`;
