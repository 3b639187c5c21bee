import { beforeAll, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { patienceMs, useConsole } from "../support/use-console.ts";

const user = useConsole();
const { check, press, see, type, confirm } = user;
const root = "/v1/accounts/default";

beforeAll(async () => {
  await user.server.client.post(`${root}/key-buckets/main/consumers`, { name: "acme" });
}, patienceMs);

const question = () => user.page.getByRole("alertdialog", { name: "Discard your changes?" });
const dialog = () => user.page.getByRole("dialog");
const pressEscape = () => user.page.keyboard.press("Escape");
const keep = async () => {
  await question().getByRole("button", { name: "Keep editing" }).click();
  await question().waitFor({ state: "detached" });
};
const discard = () => question().getByRole("button", { name: "Discard changes" }).click();

describe("a dialog with input", () => {
  check("asks before Escape, a press outside, Back and a link discard it", async () => {
    await user.show("/consumers");
    await press("New consumer");
    const name = dialog().getByLabel("Name", { exact: true });
    // Without changes it closes.
    await name.fill("glo");
    await name.fill("");
    await pressEscape();
    await dialog().waitFor({ state: "detached" });
    await press("New consumer");
    await name.fill("globex");
    await pressEscape();
    await question().waitFor();
    await user.expectAccessible();
    // Escape answers the question with no.
    await pressEscape();
    await question().waitFor({ state: "detached" });
    await user.page.mouse.click(5, 5);
    await question().waitFor();
    await keep();
    await dialog().getByRole("button", { name: "Close" }).click();
    await question().waitFor();
    await keep();
    await user.page.evaluate("history.back()");
    await question().waitFor();
    await keep();
    await eventually(() => name.inputValue()).toBe("globex");
    await eventually(() => user.path).toStartWith("/console/consumers");
    await user.page.evaluate(`void __TSR_ROUTER__.navigate({ to: "/keys" })`);
    await question().waitFor();
    await keep();
    await eventually(() => name.inputValue()).toBe("globex");
    await pressEscape();
    await discard();
    await dialog().waitFor({ state: "detached" });
    await eventually(() => question().count()).toBe(0);
  });

  check("never asks for input that is saved or cancelled, but for input that was rejected", async () => {
    await user.show("/consumers");
    await press("New consumer");
    const name = dialog().getByLabel("Name", { exact: true });
    await name.fill("acme");
    user.expectStatus(409);
    await confirm("Create consumer");
    await dialog().getByRole("alert").first().waitFor();
    await pressEscape();
    await question().waitFor();
    await keep();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await dialog().waitFor({ state: "detached" });
    await eventually(() => question().count()).toBe(0);
    await press("New consumer");
    await name.fill("initech");
    await confirm("Create consumer");
    await see("initech");
    await eventually(() => question().count()).toBe(0);
  });
});

describe("settings with input", () => {
  check("ask before another tab and another page, and in the browser before the page is left", async () => {
    await user.show("/settings?tab=billing");
    const legalName = user.page.getByLabel("Legal name");
    const tab = (name: string) => user.page.getByRole("tab", { name, exact: true });
    const asked: string[] = [];
    user.page.on("dialog", (each) => {
      asked.push(each.type());
      each.dismiss().catch(() => {});
    });
    try {
      await legalName.fill("Weather GmbH");
      await tab("Portal").click();
      await question().waitFor();
      await keep();
      await user.page.getByRole("link", { name: "Plans", exact: true }).click();
      await question().waitFor();
      await keep();
      await user.page.evaluate("location.reload()");
      await user.until(() => asked.length > 0, "the browser's question");
      expect(asked).toEqual(["beforeunload"]);
      await eventually(() => legalName.inputValue()).toBe("Weather GmbH");
      await type("Address", "Main Street 1");
      await user.page.getByLabel("Country", { exact: true }).selectOption("DE");
      await type("Number prefix", "W-");
      await press("Save billing profile");
      await see("Billing profile saved");
      await tab("Portal").click();
      await user.page.waitForURL(/tab=portal/);
      await eventually(() => question().count()).toBe(0);
      // An input after a save is compared with what is saved.
      await tab("Billing").click();
      await legalName.fill("Weather AG");
      await tab("Portal").click();
      await question().waitFor();
      await discard();
      await user.page.waitForURL(/tab=portal/);
    } finally {
      user.page.removeAllListeners("dialog");
    }
  });
});

describe("every form", () => {
  /** Forms whose input is not work: a page number, a filter, a sign-in, and requests that try an operation. */
  const others = [
    "components/form.tsx",
    "components/table.tsx",
    "console/pages/sign-in/forms.tsx",
    "console/shell/filter-bar.tsx",
    "portal/pages/enter/enter.tsx",
    "portal/pages/enter/outcome.tsx",
    "reference/try-form.tsx",
  ];
  /** Dialogs of their own: the search and the menu of a phone. */
  const ownDialogs = [
    "components/dialog.tsx",
    "components/form.tsx",
    "components/side-panel.tsx",
    "console/shell/frame.tsx",
    "console/shell/palette.tsx",
  ];

  test("is the shared one, which keeps its input", async () => {
    const [forms, dialogs, unguarded]: [string[], string[], string[]] = [[], [], []];
    const folder = new URL("../../src/web", import.meta.url).pathname;
    for (const name of [...new Bun.Glob("**/*.tsx").scanSync(folder)].sort()) {
      const text = await Bun.file(`${folder}/${name}`).text();
      if (/<form\b/.test(text)) forms.push(name);
      if (/"@base-ui\/react\/(alert-)?dialog"/.test(text)) dialogs.push(name);
      // A dialog without onSubmit is not a form, and does not ask.
      if (!ownDialogs.includes(name) && dialogsIn(text).some((each) => hasField.test(each) && !/onSubmit=/.test(each)))
        unguarded.push(name);
    }
    expect({ forms, dialogs, unguarded }).toEqual({ forms: others, dialogs: ownDialogs, unguarded: [] });
  });

  const hasField = /<(TextField|TextArea|SelectField|Checkbox|Choices|input|textarea|select)\b/;
  /** The dialogs of a source file, each with its content. */
  const dialogsIn = (text: string): string[] =>
    text
      .split(/(?=<Dialog\b)/)
      .slice(1)
      .map((part) => part.split("</Dialog>")[0]!);
});
