import { beforeAll, expect, test } from "bun:test";
import { billed, invoicesOf, monthly, setProfile } from "../../../../../test/support/billing.ts";
import { openPage } from "../../../../../test/support/chromium.ts";
import { sqlite } from "../../../../../test/support/engines.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { adminToken } from "../../../../../test/support/server-settings.ts";

// The page does not depend on the engine.
const server = useServer(sqlite);
const hostile = '<script>document.title = "executed"</script><img src="/x" onerror="document.title = 1">';
let url: string;

beforeAll(async () => {
  await setProfile(server.client, { legalName: hostile });
  const label = "A plan with a long-name-without-any-place-to-break-it-in-two-or-three-lines";
  const { bucket } = await billed(server.client, "2031-01-01T00:00:00.000Z", { label, ...monthly("123456.00") });
  const [invoice] = await invoicesOf(server.client, bucket);
  url = `${server.url}${bucket}/invoices/${invoice.id}`;
});

const options = (width: number) => ({
  extraHTTPHeaders: { authorization: `Bearer ${adminToken}` },
  viewport: { width, height: 900 },
});

const styleOf = (element: string, name: string) => `getComputedStyle(document.querySelector("${element}")).${name}`;

test.each([360, 1280])(
  "a browser %i pixels wide shows the page with its styles, and loads nothing else",
  async (width) => {
    const { page, errors, requestedUrls, close } = await openPage(url, options(width));
    expect(await page.title()).toMatch(/^Invoice TEST-INV-/);
    expect(await page.locator("main").innerText()).toContain(hostile);
    expect(await page.evaluate(styleOf("main", "backgroundColor"))).toBe("rgb(255, 255, 255)");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect(requestedUrls).toEqual([url]);
    expect(errors.take()).toEqual([]);
    await close();
  },
);

test("on paper, the page has no background and no margin of its own", async () => {
  const { page, errors, close } = await openPage(url, options(1280));
  await page.emulateMedia({ media: "print" });
  expect(await page.evaluate(styleOf("body", "backgroundColor"))).toBe("rgba(0, 0, 0, 0)");
  for (const name of ["paddingLeft", "marginTop"]) expect(await page.evaluate(styleOf("main", name))).toBe("0px");
  expect(errors.take()).toEqual([]);
  await close();
});
