import { type ApiKeyCreate, Tollgate } from "../../client/index.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import { customersOf, type DemoCustomer, type PlanName, planNames, plans, prices } from "./customers.ts";
import type { MovingClock } from "./moving-clock.ts";
import { keyBucket, meteringBucket } from "./projects.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { dayMilliseconds } from "./traffic.ts";

/** The staff, who use the management API. The audit log names them. */
const staff = {
  ada: { name: "Ada Okafor", role: "admin" },
  jonas: { name: "Jonas Lind", role: "editor" },
  pipeline: { name: "Pipeline", role: "editor" },
  billing: { name: "Billing sync", role: "editor" },
  grafana: { name: "Grafana", role: "reader" },
} as const;

const failingCustomer = "copper-kettle";
const transferCustomer = "juniper-cosmetics";

/** A customer that has signed up. */
interface DemoAccount {
  customer: DemoCustomer;
  joinedOn: number;
  /** The value of the key that its program sends. */
  key: string;
  keyId: string;
  subscriptionId: string;
}

interface BusinessOptions {
  operator: Tollgate;
  /** The base URL of the server. */
  url: string;
  clock: MovingClock;
  random: SeededRandom;
  /** The share of their usual traffic that customers send. */
  volume: number;
}

/** The staff's actions. All of them use the management API. */
export class Business {
  readonly customers: DemoCustomer[];
  readonly accounts = new Map<string, DemoAccount>();
  readonly planIds = new Map<PlanName, string>();
  #people = new Map<keyof typeof staff, Tollgate>();

  constructor(private readonly options: BusinessOptions) {
    this.customers = customersOf(options.random.for("customers"), options.volume);
  }

  as(person: keyof typeof staff): Tollgate {
    const client = this.#people.get(person);
    if (!client) throw new Error(`${person} has no token yet.`);
    return client;
  }

  async found(): Promise<void> {
    for (const [person, { name, role }] of Object.entries(staff)) {
      const { token } = await this.options.operator.tokens.create({ name, role });
      this.#people.set(person as keyof typeof staff, new Tollgate({ url: this.options.url, token }));
    }
    const ada = this.as("ada");
    await ada.buckets.create({ name: keyBucket, description: "Keys of the shops that use the API", keyPrefix: "wb" });
    await ada.metering.create({ name: meteringBucket, keyBucket });
    for (const plan of planNames) {
      const { id } = await ada.plans(meteringBucket).create({
        ...plans[plan],
        ...prices[plan],
        planExternalId: `price_${plan}`,
        ...(plan === "scale" && { trialDays: 14, trialEndStatus: "paused" as const }),
      });
      this.planIds.set(plan, id);
    }
    await ada.billing.setProfile({
      legalName: "Waybill Ltd",
      address: { line1: "8 Dock Street", postalCode: "M1 2AB", city: "Manchester", country: "GB" },
      numberPrefix: "WB-",
      graceDays: 60,
    });
    await ada.billing.setProvider("live", "sandbox");
    const variables = ada.variables("waybill");
    await variables.set("CARRIER_REGION", { value: "eu-west" });
    await variables.set("SUPPORT_EMAIL", { value: "help@waybill.example", environments: ["production"] });
    await variables.set("CARRIER_API_KEY", { value: this.#made("carrier"), isSecret: true });
    await variables.set("CARRIER_SANDBOX_KEY", {
      value: this.#made("sandbox"),
      isSecret: true,
      environments: ["preview"],
    });
  }

  /** The site where customers read about the API, and manage their keys. */
  async openPortal(deployment: string): Promise<void> {
    await this.as("ada")
      .portal(keyBucket)
      .set({
        title: "Waybill",
        description: "Rates, labels and tracking for online shops, with one API.",
        accentColor: "#c2410c",
        deployments: [deployment],
        meteringBucket,
        isReferencePublic: true,
        links: [{ label: "Status", url: "https://status.waybill.example/" }],
        termsUrl: "https://waybill.example/terms",
      });
  }

  /** Carriers that report parcel locations, with keys that are shown once. */
  async invitePartners(): Promise<void> {
    const ada = this.as("ada");
    const description = "Carriers that report where parcels are";
    await ada.buckets.create({ name: "partners", description, keyPrefix: "wbp", isRetrievable: false });
    for (const name of ["swiftpost", "parcelbird", "northern-freight"])
      await ada
        .consumers("partners")
        .create({ name, tags: { kind: "carrier" }, managers: [`operations@${name}.example`] }, { withApiKey: true });
  }

  async signUp(customer: DemoCustomer): Promise<DemoAccount> {
    const { name, company, plan, country, segment, email } = customer;
    const random = this.options.random.for(`sign-up ${name}`);
    const isLarge = plan === "scale" || plan === "enterprise";
    const { apiKeys } = await this.as("jonas")
      .consumers(keyBucket)
      .create({
        name,
        displayName: company,
        description: `${segment} in ${country}`,
        tags: { plan, country, segment, ...(isLarge && { priority: true }) },
        metadata: { customerId: `cus_${random.integer(100_000, 999_999)}`, company, seats: random.integer(1, 40) },
        managers: random.chance(0.6) ? [{ sub: `auth0|${random.integer(100_000, 999_999)}`, email }] : [email],
        apiKeys: [productionKey(customer), ...(random.chance(0.5) ? [stagingKey] : [])],
      });
    const { id } = await this.as("billing")
      .subscriptions(meteringBucket)
      .create({
        ...this.plan(plan),
        status: plan === "scale" && customer.joined > 0.9 ? "trialing" : "active",
        type: "periodic",
        renewalStrategy: plan === "enterprise" ? "yearly" : "monthly",
        region: "europe-west4",
        customerKey: name,
        subscriptionExternalId: `sub_${name}`,
        customerExternalId: `cus_${name}`,
      });
    if (plan !== "free") await this.#setUpPayment(customer);
    const { key, id: keyId } = apiKeys![0]!;
    const account = { customer, joinedOn: this.options.clock.now(), key: key!, keyId, subscriptionId: id };
    this.accounts.set(name, account);
    return account;
  }

  /** Most customers pay by a method of the sandbox; the payments of one fail, and one pays by transfer, late. */
  async #setUpPayment({ name, company }: DemoCustomer): Promise<void> {
    const billing = this.as("billing");
    await billing.customers(meteringBucket).update(name, { legalName: company });
    if (name === transferCustomer) return;
    const behavior = name === failingCustomer ? "fails" : "succeeds";
    await billing.customers(meteringBucket).setPaymentMethod(name, { type: "sandbox", behavior });
    const invoices = billing.invoices(meteringBucket);
    for (const { id } of (await invoices.list({ customerKey: name, status: "open" }).page()).data)
      await invoices.collect(id);
  }

  plan(name: PlanName): { planIds: string[]; planExternalIds: string[] } {
    return { planIds: [this.planIds.get(name)!], planExternalIds: [`price_${name}`] };
  }

  /** Another service sends text messages and reports them each night. */
  async reportMessages(): Promise<number> {
    const now = this.options.clock.now();
    const random = this.options.random.for(`messages ${now}`);
    const senders = [...this.accounts.values()].filter(({ customer }) => customer.plan !== "free");
    const events = senders.map(({ customer: { name, requestsPerDay } }) => ({
      id: `${name}-${formatDateTime(now).slice(0, 10)}`,
      source: "notifier",
      type: "messages.sent",
      specversion: "1.0" as const,
      subject: name,
      time: formatDateTime(now - random.integer(1, 20) * 60_000),
      data: { messages: random.integer(1, 2 + Math.ceil(requestsPerDay / 12)) },
    }));
    if (events.length === 0) return 0;
    const { accepted } = await this.as("billing").events(meteringBucket).send(events);
    return accepted;
  }

  /** A campaign that uses up a share of a customer's text messages. */
  async campaign(name: string, share: number): Promise<void> {
    const client = this.as("billing");
    const { meters } = await client.usage(meteringBucket, this.accounts.get(name)!.subscriptionId).get();
    const { used, max } = meters.messages!;
    const event = { id: `${name}-campaign`, source: "notifier", type: "messages.sent", specversion: "1.0" as const };
    const data = { messages: Math.max(1, Math.ceil(max * share) - used) };
    await client.events(meteringBucket).send([{ ...event, subject: name, data }]);
  }

  /** The number of requests that a customer has left in this period. */
  async requestsLeft(name: string): Promise<number> {
    const { meters } = await this.as("billing").usage(meteringBucket, this.accounts.get(name)!.subscriptionId).get();
    return meters.requests!.available;
  }

  /** Rolls a key that the customer published by accident: the old one works for two more days. */
  async rollKey(name: string): Promise<void> {
    const expiresOn = formatDateTime(this.options.clock.now() + 2 * dayMilliseconds);
    const keys = this.as("jonas").keys(keyBucket, name);
    const keyId = await keys.roll({ expiresOn });
    const { key } = await keys.get(keyId, { keyFormat: "visible" });
    const account = this.accounts.get(name)!;
    await keys.update(keyId, { ...productionKey(account.customer), description: "Production, after the roll" });
    this.accounts.set(name, { ...account, key: key!, keyId });
  }

  #made(purpose: string): string {
    const random = this.options.random.for(purpose);
    return `${purpose}_${Array.from({ length: 24 }, () => random.integer(0, 35).toString(36)).join("")}`;
  }
}

const stagingKey: ApiKeyCreate = { description: "Staging", permissions: ["shipments:read"] };

function productionKey({ plan, country }: DemoCustomer): ApiKeyCreate {
  return {
    description: "Production",
    permissions: plan === "free" ? ["shipments:read"] : ["shipments:*", "labels:write"],
    metadata: { environment: "production", country },
    ...(plan === "starter" && { rateLimit: { requests: 300, windowSeconds: 60 } }),
  };
}
