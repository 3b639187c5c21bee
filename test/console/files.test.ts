import { describe, expect } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { useConsole } from "../support/use-console.ts";

// Consumers and keys as CSV files: exported, and created after a preview.

const user = useConsole();
const { check, see, press, confirm } = user;
const bucket = "/v1/accounts/default/key-buckets/main";

const choose = (...lines: string[]) =>
  user.page
    .getByLabel("CSV file")
    .setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer: Buffer.from(lines.join("\r\n")) });
const lines = (caption: string) => user.page.getByRole("list", { name: caption }).locator("li").allInnerTexts();
const saved = async (work: () => Promise<void>) => {
  const downloading = user.page.waitForEvent("download");
  await work();
  return Bun.file(await (await downloading).path()).text();
};
const namesOf = async () =>
  (await user.server.client.get(`${bucket}/consumers`)).body.data.map(({ name }: { name: string }) => name);

describe("consumers", () => {
  check("are previewed with the error of each line; nothing is created before it is confirmed", async () => {
    await user.server.client.post(`${bucket}/consumers`, { name: "acme", description: "=1+1" });
    await user.visit("/consumers?bucket=main");
    await press("From a file");
    await choose("name,plan", "globex,gold");
    await see(/there is no column "plan".*Columns: name, displayName, description, tags\.\*/);
    await choose('name\r\n"globex');
    await see("The file is not CSV: line 2: a quote is opened and not closed.");
    await choose(
      "name,displayName,tags.plan,metadata,managers",
      "globex,Globex Ltd,gold,,",
      'initech,,,"{""seats"": 12}",ann@initech.example;bob@initech.example',
      "acme,,,,",
      "No Spaces,,,,",
      "globex,,,,",
      "hooli,,,[1],",
      "umbrella,,,,no-address",
    );
    await see("3 consumers can be created, 4 lines have errors.");
    await eventually(() => lines("Errors")).toEqual([
      expect.stringMatching(/^Line 4\s+acme\s+a consumer of this name exists$/),
      expect.stringMatching(/^Line 5\s+No Spaces\s+name must be 1 to 128 characters/),
      expect.stringMatching(/^Line 6\s+globex\s+name is the same as on line 2$/),
      expect.stringMatching(/^Line 7\s+line 7, metadata: must be a JSON object/),
    ]);
    expect(await namesOf()).toEqual(["acme"]);
    await user.expectAccessible();
  });

  check("are created from the good lines, with keys to save; the server's rejections are listed", async () => {
    await user.page.getByLabel("Create a first key for each").check();
    user.expectStatus(400);
    await confirm("Create 3 consumers");
    await see("2 consumers created.");
    await eventually(() => lines("Rejected lines")).toEqual([expect.stringMatching(/^Line 8\s+umbrella\s+.*email/i)]);
    await user.expectAccessible();
    await user.page.keyboard.press("Escape");
    const csv = await saved(() => confirm("Save the values as CSV"));
    expect(csv).toMatch(
      /^consumer,key\r\n(globex|initech),tg_[0-9a-f]{32}_[0-9a-f]{8}\r\n(globex|initech),tg_\S+\r\n$/,
    );
    await confirm("Close");
    expect((await namesOf()).toSorted()).toEqual(["acme", "globex", "initech"]);
    const { body } = await user.server.client.get(`${bucket}/consumers/initech?include-manager-invites=true`);
    expect(body).toMatchObject({ metadata: { seats: 12 }, managerInvites: [{}, {}] });
    await user.page.getByRole("row", { name: /globex/ }).waitFor();
  });

  check("are exported with the filters of the list, and an export can be read again", async () => {
    const csv = await saved(() => press("Export"));
    const [header, ...rows] = csv.trimEnd().split("\r\n");
    expect(header).toBe("name,displayName,description,tags.plan,metadata,managers,createdOn");
    expect(rows.toSorted()).toEqual([
      expect.stringMatching(/^acme,,'=1\+1,,,,20/),
      expect.stringMatching(/^globex,Globex Ltd,,gold,,,20/),
      expect.stringMatching(/^initech,,,,"\{""seats"":12\}",(ann|bob)@initech.example;(ann|bob)@initech.example,20/),
    ]);
    await user.visit("/consumers?bucket=main&tag=plan%3Dgold");
    expect((await saved(() => press("Export"))).trimEnd().split("\r\n")).toHaveLength(2);
    await user.server.client.delete(`${bucket}/consumers/acme`);
    await press("From a file");
    await choose(csv);
    await see("1 consumer can be created, 2 lines have errors.");
    await confirm("Create 1 consumer");
    await see("1 consumer created.");
    expect((await user.server.client.get(`${bucket}/consumers/acme`)).body.description).toBe("=1+1");
    await confirm("Close");
  });
});

describe("keys", () => {
  check("are created from a file after a preview, and their values can be saved", async () => {
    await user.visit("/keys?bucket=main");
    await press("From a file");
    await choose(
      "consumer,description,expiresOn,permissions,key",
      "acme,Production,2040-01-31T10:00:00Z,orders:read;orders:write,",
      "acme,Moved,,,key-of-the-old-system-42",
      "nobody,,,,",
      "acme,,tomorrow,,",
      "acme,,,,short",
      "acme,,,,key-of-the-old-system-42",
    );
    await see("2 keys can be created, 4 lines have errors.");
    await eventually(() => lines("Errors")).toEqual([
      expect.stringMatching(/^Line 4\s+nobody\s+the consumer nobody does not exist$/),
      expect.stringMatching(/^Line 5\s+line 5, expiresOn: must be a time such as/),
      expect.stringMatching(/^Line 6\s+acme\s+key must be 16 to 512 visible/),
      expect.stringMatching(/^Line 7\s+acme\s+key is the same as on line 3$/),
    ]);
    expect((await user.server.client.get(`${bucket}/consumers/acme/keys`)).body.total).toBe(0);
    await confirm("Create 2 keys");
    await see("2 keys created.");
    const csv = await saved(() => confirm("Save the values as CSV"));
    expect(csv.trimEnd().split("\r\n").toSorted()).toEqual([
      "acme,Moved,key-of-the-old-system-42",
      expect.stringMatching(/^acme,Production,tg_[0-9a-f]{32}_[0-9a-f]{8}$/),
      "consumer,description,key",
    ]);
    await confirm("Close");
    const { body } = await user.server.client.get(`${bucket}/consumers/acme/keys`);
    expect(body.data.find(({ description }: { description: string }) => description === "Production")).toMatchObject({
      expiresOn: "2040-01-31T10:00:00.000Z",
      permissions: ["orders:read", "orders:write"],
    });
  });

  check("are exported with masked values and the filters of the list", async () => {
    await user.visit("/keys?bucket=main&permission=orders%3Aread");
    const [header, ...rows] = (await saved(() => press("Export"))).trimEnd().split("\r\n");
    expect(header).toBe(
      "consumer,id,masked,description,isEnabled,permissions,allowedIps,createdOn,lastUsedOn,expiresOn",
    );
    expect(rows).toEqual([
      expect.stringMatching(/^acme,key_\w{24},\*{4}[0-9a-f]{8},Production,true,orders:read;orders:write,,20.*Z,,2040-/),
    ]);
  });

  check("cannot be created from a file by a reader, who may export them", async () => {
    const { body } = await user.server.client.post("/v1/accounts/default/tokens", { role: "reader" });
    await user.signIn(body.token);
    await user.visit("/keys?bucket=main");
    await user.pressDenied("From a file");
    expect(await saved(() => press("Export"))).toContain("Moved");
    await user.signIn();
  });
});
