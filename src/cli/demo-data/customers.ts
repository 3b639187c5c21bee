import type { PlanCreate } from "../../client/index.ts";
import type { SeededRandom } from "./seeded-random.ts";

export const planNames = ["free", "starter", "scale", "enterprise"] as const;
export type PlanName = (typeof planNames)[number];

/** A customer of the demo's shop. */
export interface DemoCustomer {
  name: string;
  company: string;
  plan: PlanName;
  country: string;
  segment: string;
  /** The manager of its keys. */
  email: string;
  /** How far into the demo's weeks it signed up, from 0 to 1. */
  joined: number;
  /** Requests on a working day, after the first weeks. */
  requestsPerDay: number;
  /** The client address of its requests, from a range that is reserved for documentation. */
  address: string;
}

type Row = [company: string, plan: PlanName, country: string, segment: string, requestsPerDay: number, joined: number];

/** The volumes bring some customers near the limits of their plans, one above, and keep most far below. */
const rows: Row[] = [
  ["Meridian Retail", "enterprise", "US", "marketplace", 300, 0],
  ["Oakline Furniture", "enterprise", "DE", "retail", 210, 0.01],
  ["Northwind Traders", "scale", "US", "retail", 190, 0],
  ["Harbor and Co", "scale", "GB", "retail", 160, 0.05],
  ["Tallgrass Outdoor", "scale", "US", "outdoor", 130, 0.12],
  ["Kestrel Electronics", "scale", "NL", "electronics", 120, 0.2],
  ["Lumen Lighting", "scale", "SE", "retail", 90, 0.45],
  ["Blue Door Books", "starter", "IE", "books", 165, 0],
  ["Casa Verde", "starter", "ES", "home", 85, 0.04],
  ["Little Fjord", "starter", "NO", "fashion", 70, 0.08],
  ["Papermoon Gifts", "starter", "FR", "gifts", 60, 0.15],
  ["Sable and Wren", "starter", "GB", "fashion", 50, 0.22],
  ["Copper Kettle", "starter", "US", "food", 45, 0.3],
  ["Juniper Cosmetics", "starter", "FR", "beauty", 40, 0.38],
  ["Atlas Bikes", "starter", "DK", "outdoor", 36, 0.52],
  ["Marlow Toys", "starter", "DE", "toys", 30, 0.6],
  ["Pebble Studio", "free", "PT", "design", 62, 0.02],
  ["Fernweh Maps", "free", "DE", "books", 24, 0.1],
  ["Tiny Teapot", "free", "GB", "food", 20, 0.18],
  ["Yarn Harbour", "free", "IS", "craft", 16, 0.26],
  ["Old Mill Coffee", "free", "US", "food", 14, 0.33],
  ["Saffron Kitchen", "free", "IT", "food", 12, 0.41],
  ["Bramble Prints", "free", "GB", "design", 10, 0.55],
  ["Quill Stationery", "free", "NL", "gifts", 9, 0.64],
  ["Driftwood Decor", "free", "US", "home", 8, 0.72],
  ["Mosaic Tiles", "free", "PT", "home", 6, 0.8],
  ["Velvet Records", "starter", "US", "music", 28, 0.88],
  ["Solstice Candles", "scale", "CA", "gifts", 60, 0.93],
];

const firstNames = ["amara", "ben", "chloe", "diego", "elif", "freya", "hugo", "ines", "jonas", "kai", "lena", "mateo"];

export function customersOf(random: SeededRandom, volume: number): DemoCustomer[] {
  return rows.map(([company, plan, country, segment, usual, joined], index) => {
    const name = company.toLowerCase().replaceAll(" ", "-");
    return {
      name,
      company,
      plan,
      country,
      segment,
      email: `${random.pick(firstNames)}@${name}.example`,
      joined,
      requestsPerDay: usual * volume * random.between(0.92, 1.08),
      address: `203.0.113.${index + 10}`,
    };
  });
}

/** The meters of the plans, with their monthly limits. */
export const plans: Record<PlanName, { label: string; meters: Record<string, { label: string; max: number }> }> = {
  free: { label: "Free", meters: metersOf(500, 20, 0) },
  starter: { label: "Starter", meters: metersOf(2_000, 200, 150) },
  scale: { label: "Scale", meters: metersOf(10_000, 1_500, 1_000) },
  enterprise: { label: "Enterprise", meters: metersOf(100_000, 20_000, 10_000) },
};

export function metersOf(requests: number, labels: number, messages: number) {
  return {
    requests: { label: "API requests", max: requests },
    labels: { label: "Labels printed", max: labels },
    ...(messages > 0 && { messages: { label: "Text messages", max: messages } }),
  };
}

const monthly = (amount: string) => ({ price: { currency: "EUR", amount, interval: "month" as const } });

/** What the plans cost, and what customers see of them. */
export const prices: Record<
  PlanName,
  Pick<PlanCreate, "price" | "features" | "description" | "isPublic" | "position">
> = {
  free: { description: "To try the API", isPublic: true, position: 1 },
  starter: { ...monthly("29.00"), description: "For a first shop", isPublic: true, position: 2 },
  scale: {
    ...monthly("149.00"),
    description: "For shops that grow",
    features: { support: "within a day" },
    isPublic: true,
    position: 3,
  },
  enterprise: {
    price: { currency: "EUR", amount: "9600.00", interval: "year" },
    features: { support: "by phone", sla: true },
    position: 4,
  },
};
