// Written by `npm run generate` from the OpenAPI document. Do not edit.

import type {
  Checkout,
  CheckoutForm,
  Decision,
  DecisionDetail,
  ExampleRequest,
  JsonWebKeySet,
  PortalOffer,
  PortalSite,
  Problem,
} from "./schema.gen.ts";

export type {
  Checkout,
  CheckoutForm,
  Decision,
  DecisionDetail,
  ExampleRequest,
  JsonWebKeySet,
  PortalOffer,
  PortalSite,
  Problem,
};

interface Page<T> {
  data: T[];
  limit: number;
  offset: number;
  total: number;
}

export interface PortalHandoffCode {
  /** From the fragment of the hand-off's address. */
  code: string;
}

export interface PortalHandoffCustomer {
  consumer: { name: string };
  /** Whether the browser has a session: none, one of this customer, or of another one. */
  session: "none" | "same" | "other";
}

export interface PortalSignIn {
  /** From the fragment of the hand-off's address. */
  code: string;
  /** Ends the session of another customer. */
  replacesSession?: boolean;
}

export interface PortalSession {
  consumer: {
    /** The name that the customer gave, if any. */
    name: string;
  };
  subject: string;
  scopes: (
    | "keys:read"
    | "keys:write"
    | "usage:read"
    | "requests:read"
    | "plans:write"
    | "invoices:read"
    | "people:write"
  )[];
  /** The pages that the session may open and that have something to show. */
  pages: (
    | "docs"
    | "keys"
    | "programs"
    | "agents"
    | "usage"
    | "requests"
    | "plans"
    | "credit"
    | "invoices"
    | "people"
  )[];
  /** Whether a manager signed in, and not through a hand-off. */
  isManager: boolean;
  /** Present while the customer is suspended: it can read and pay, and change nothing. */
  suspension?: { reason?: string };
  /** Whether the manager signed in with the identity provider. */
  isByProvider: boolean;
  /** Whether the business views the portal as the customer. */
  isView: boolean;
  returnUrl?: string;
  expiresOn: string;
}

export interface PortalSignInStart {
  email: string;
  /** The path of the portal that the link of the mail opens, in this browser only. */
  to?: string;
}

export interface PortalStartedSignIn {
  expiresOn: string;
}

export interface PortalSignInCode {
  /** The code of the mail: 8 digits; spaces are ignored. */
  code: string;
}

export interface PortalSignInOutcome {
  /** Set if the person is signed in. */
  session?: PortalSession;
  /** For the next step, if there is one. */
  proof?: string;
  email?: string;
  /** The person manages several: choose one. */
  customers?: {
    /** The person's manager or invite at this customer. */
    id: string;
    name: string;
  }[];
  /** The person has no account: create one, or request access. Or a request was made. */
  signUp?: "open" | "approval" | "pending" | "denied";
  /** The path of the portal to open, if it is not `/`. */
  to?: string;
}

export interface PortalSignInLink {
  /** What follows `#` in the link. */
  link: string;
}

export interface PortalCustomerChoice {
  /** Proves who signs in. Valid once, for 15 minutes. */
  proof: string;
  id: string;
}

export interface PortalSignUp {
  /** Proves who signs in. Valid once, for 15 minutes. */
  proof: string;
  /** The name of the company or the person. One line without links: invitations by mail contain it. */
  name?: string;
  /** For the business, which approves the request. */
  note?: string;
}

export interface PortalSignUpOutcome {
  /** Set if the account was created. */
  session?: PortalSession;
  /** The value of the first key, shown once. */
  key?: string;
  keyId?: string;
  /** Whether the business has to approve first. */
  isRequested: boolean;
}

export interface PortalCustomers {
  data: {
    /** The person's manager or invite at this customer. */
    id: string;
    name: string;
    isCurrent: boolean;
  }[];
}

export interface PortalProviderSignInStart {
  /** The path of the portal to open afterwards. */
  to?: string;
}

export interface PortalStartedProviderSignIn {
  /** The address at the identity provider. */
  url: string;
}

export interface PortalProviderAnswer {
  /** The query with which the provider sent the browser back, without `?`. */
  query: string;
}

export interface PortalKeys {
  /** At most 1,000, in the order of creation. */
  data: PortalKey[];
  keyLimit: number;
  /** Whether a key must be deleted before another can be created. */
  isLimitReached: boolean;
}

export interface PortalKey {
  id: string;
  description?: string;
  createdOn: string;
  expiresOn: string | null;
  isEnabled: boolean;
  lastUsedOn: string | null;
  permissions?: string[];
  allowedIps?: string[];
  /** The value once, when it is created; else its last characters. */
  key: string;
}

export interface PortalKeyCreate {
  /** At most 200 characters. */
  description?: string;
  expiresOn?: string | null;
}

export interface PortalKeyUpdate {
  description?: string | null;
  isEnabled?: boolean;
}

export interface PortalKeyRoll {
  /** How long the old key keeps working; 0 ends it at once. */
  graceHours: number;
}

export interface PortalPeople {
  data: PortalPerson[];
  invites: PortalInvite[];
}

export interface PortalPerson {
  id: string;
  /** The address, or the subject at the identity provider. */
  name: string;
  scopes: (
    | "keys:read"
    | "keys:write"
    | "usage:read"
    | "requests:read"
    | "plans:write"
    | "invoices:read"
    | "people:write"
  )[];
  /** Whether this is the person of the session. */
  isSelf: boolean;
  createdOn: string;
}

export interface PortalInvite {
  id: string;
  email: string;
  scopes: (
    | "keys:read"
    | "keys:write"
    | "usage:read"
    | "requests:read"
    | "plans:write"
    | "invoices:read"
    | "people:write"
  )[];
  createdOn: string;
  expiresOn: string;
}

export interface PortalInviteCreate {
  email: string;
  /** What the manager may do in the portal. Everything, if it is left out. */
  scopes?: (
    | "keys:read"
    | "keys:write"
    | "usage:read"
    | "requests:read"
    | "plans:write"
    | "invoices:read"
    | "people:write"
  )[];
}

export interface PortalPersonUpdate {
  scopes?:
    | ("keys:read" | "keys:write" | "usage:read" | "requests:read" | "plans:write" | "invoices:read" | "people:write")[]
    | null;
}

export interface PortalApis {
  data: { title: string; url: string; example?: ExampleRequest; agents?: PortalAgentAddress[] }[];
}

/** An address that offers tools to agents. */
export interface PortalAgentAddress {
  url: string;
  title: string;
  /** The header of a key. Omitted if no key is accepted. */
  keyHeader?: string;
  /** The text before the key in the header. */
  keyPrefix?: string;
  /** Whether agents can sign the customer in at this portal. */
  hasSignIn: boolean;
}

export interface PortalUsage {
  /** Null if the customer has no active subscription. */
  subscription: {
    status: string;
    /** The labels of its plans. */
    plans: string[];
    periodStart: string;
    /** When the quotas reset. */
    periodEnd: string;
  } | null;
  /** The labels of the plans that a payment makes active again, if no subscription is active. */
  unpaidPlans?: string[];
  meters: Record<
    string,
    {
      label?: string;
      used: number;
      max: number;
      /** What the period will end at if usage continues as lately. */
      forecast?: number;
      /** By day. */
      points: { time: string; used: number }[];
    }
  >;
  /** Requests to language models in the last 30 days. Empty if there were none. */
  models: {
    from: string;
    data: {
      model: string;
      requests: number;
      /** Tokens of input, without those that are cached or written to a cache. */
      input: number;
      cached: number;
      cacheWrite: number;
      /** Tokens of output, including reasoning. */
      output: number;
      /** What meters of costs have counted. Null if the model has no price. */
      charge: { currency: string; amount: string } | null;
    }[];
  };
}

export interface PortalRequests {
  data: PortalRequest[];
}

export interface PortalRequest {
  /** The Tollgate id. Clients can choose `x-request-id`, but not this one. */
  id: string;
  time: string;
  requestId: string;
  method: string;
  /** Without the query; at most 1,024 characters. */
  path: string;
  /** 499 if the client disconnected before the response. */
  status: number;
  durationMs: number;
  /** The key, or the authorization of an OAuth client. */
  keyId?: string;
  ip?: string;
  /** The problem code, if the gateway itself rejected the request. */
  code?: string;
  detail?: string;
  /** The policies of the route, in order. */
  decisions: Decision[];
  /** The title of the API. */
  api: string;
}

export interface Documentation {
  data: PublishedApi[];
}

export interface PublishedApi {
  title: string;
  version: string;
  description: string;
  guides: DocumentationGroup[];
  reference: DocumentationGroup[];
  /** The API's part of the paths of pages. */
  slug: string;
  deployment: string;
  /** The address of the API. */
  url: string;
}

export interface DocumentationGroup {
  label: string;
  entries: {
    /** The path of the page below the API's own. */
    page: string;
    label: string;
    method?: string;
    /** The path template of an operation. */
    path?: string;
    /** The beginning of its description, for search. */
    text?: string;
    isDeprecated?: boolean;
  }[];
}

/** A page of the reference, or a guide. */
export interface DocumentationPage {
  kind: "overview" | "operation" | "schema" | "guide";
  title: string;
  /** Plain text, for search engines and link previews. */
  description: string;
  nodes: PageNode[];
  headings: { id: string; text: string; level: number }[];
  operation?: OperationPage;
  schema?: DescribedSchema;
}

/** Text or an element. */
export type PageNode = string | PageElement;

/** An element of a page. */
export interface PageElement {
  tag:
    | "p"
    | "h2"
    | "h3"
    | "h4"
    | "ul"
    | "ol"
    | "li"
    | "blockquote"
    | "pre"
    | "code"
    | "hr"
    | "br"
    | "a"
    | "img"
    | "strong"
    | "em"
    | "del"
    | "span"
    | "table"
    | "thead"
    | "tbody"
    | "tr"
    | "th"
    | "td";
  id?: string;
  href?: string;
  src?: string;
  alt?: string;
  title?: string;
  language?: string;
  kind?: string;
  start?: number;
  align?: "left" | "center" | "right";
  children?: PageNode[];
}

export interface OperationPage {
  method: string;
  path: string;
  operationId?: string;
  isDeprecated?: boolean;
  /** Set if the gateway requires an API key. */
  keyHeader?: { header: string; prefix: string };
  /** Alternatives. All schemes of one alternative are needed together. */
  security?: { name: string; text: string }[][];
  parameters: {
    name: string;
    in: "path" | "query" | "header" | "cookie" | "querystring";
    isRequired: boolean;
    isDeprecated?: boolean;
    description?: PageNode[];
    schema: DescribedSchema;
    example?: string;
  }[];
  body?: {
    isRequired: boolean;
    description?: PageNode[];
    contents: { mediaType: string; schema?: DescribedSchema; example?: string }[];
  };
  responses: {
    /** Such as `200`, `4XX` or `default`. */
    status: string;
    description?: PageNode[];
    headers: { name: string; description?: PageNode[]; schema?: DescribedSchema }[];
    contents: { mediaType: string; schema?: DescribedSchema; example?: string }[];
  }[];
  /** Path and query with examples of the required parameters. */
  target: string;
  /** Code. `{{url}}` and `{{key}}` stand for the API's address and a key. */
  samples: { language: string; code: string }[];
}

export interface DescribedSchema {
  /** In words, such as `string`, `array of Order` or `integer or null`. */
  type: string;
  format?: string;
  /** The name of the schema, if it has one. */
  name?: string;
  /** The page of the schema, if it is not described here. */
  page?: string;
  description?: PageNode[];
  /** Such as `at least 1`. */
  rules?: string[];
  /** The only values, as JSON. */
  values?: string[];
  default?: string;
  example?: string;
  isDeprecated?: boolean;
  /** Only in responses, or only in requests. */
  access?: "read" | "write";
  properties?: DescribedProperty[];
  items?: DescribedSchema;
  others?: DescribedSchema;
  variants?: DescribedSchema[];
  /** Whether one variant matches, or any of them. */
  variantKind?: "one" | "any";
  discriminator?: string;
}

export interface DescribedProperty {
  name: string;
  isRequired: boolean;
  schema: DescribedSchema;
}

export interface PortalTry {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /** Path and query, such as `/orders/7?expand=lines`. */
  path: string;
  headers?: Record<string, string>;
  /** Sent as UTF-8. */
  body?: string;
  /** One of the portal's deployments. */
  deployment: string;
  /** The customer's key that the request uses, without its value. */
  keyId?: string;
}

/** The response of the API, as data. */
export interface PortalTryResponse {
  status: number;
  /** In the order of the response, without cookies. */
  headers: { name: string; value: string }[];
  body: string;
  /** `base64` if the body is not text. */
  bodyEncoding: "utf-8" | "base64";
  /** Whether the body was truncated after 1 MiB or 30 seconds. */
  isTruncated: boolean;
  /** The time until the first byte of the response. */
  durationMs: number;
  /** The `x-request-id` of the request, by which its record is found. */
  requestId: string;
}

/** The customer's plan, and those to choose from. */
export interface PortalPlans {
  /** The plans that the customer can choose. */
  data: {
    planExternalId: string;
    label: string;
    meters: Record<string, { label?: string; max: number }>;
    trialDays?: number;
    isTrialCollectPayment?: boolean;
    price?: { currency: string; amount: string; interval: "month" | "year" };
    rates?: Record<
      string,
      {
        overage: "block" | "bill" | "prepaid";
        tiers?: { upTo: number | null; unitAmount: string; flatAmount?: string }[];
        tierMode?: "graduated" | "volume" | "package";
        packageSize?: number;
      }
    >;
    rollover?: Record<string, { maximum: number; periods: number }>;
    features?: Record<string, boolean | number | string>;
    description?: string;
    isCurrent: boolean;
    isRecommended?: true;
    /** False for a plan that the customer would have to buy as long as the business cannot sell plans yet. */
    isAvailable: boolean;
  }[];
  subscription?: {
    status:
      | "active"
      | "inactive"
      | "incomplete"
      | "incomplete-expired"
      | "trialing"
      | "past-due"
      | "canceled"
      | "unpaid";
    plans: { planExternalId: string; label: string }[];
    periodEnd: string;
    trialEndDate?: string;
    /** The state of its invoices, if a plan has a price. */
    payment?: {
      state: "not_required" | "pending" | "paid" | "failed";
      since: string;
      /** From then on the status reads `unpaid`. */
      blocksOn?: string;
    };
    /** When it will be canceled, at the end of a period. */
    cancelsOn?: string;
    /** The plans from the end of the period on. */
    planChange?: { planExternalIds: string[]; on: string };
  };
  /** A purchase that is not paid yet. */
  purchase?: {
    status:
      | "active"
      | "inactive"
      | "incomplete"
      | "incomplete-expired"
      | "trialing"
      | "past-due"
      | "canceled"
      | "unpaid";
    plans: { planExternalId: string; label: string }[];
    periodEnd: string;
    trialEndDate?: string;
    /** The state of its invoices, if a plan has a price. */
    payment?: {
      state: "not_required" | "pending" | "paid" | "failed";
      since: string;
      /** From then on the status reads `unpaid`. */
      blocksOn?: string;
    };
    /** When it will be canceled, at the end of a period. */
    cancelsOn?: string;
    /** The plans from the end of the period on. */
    planChange?: { planExternalIds: string[]; on: string };
  };
  /** Whether the customer enters a payment method, or pays invoices. */
  paysOnline: boolean;
  /** Whether prices include tax, or tax is added. Absent if there is none. */
  taxBehavior?: "exclusive" | "inclusive";
  paymentMethod?: { label: string };
  /** A payment that the customer's bank wants confirmed, at the provider's page `url`. */
  secondStep?: { url: string; amountDue: string; currency: string };
}

export interface PortalPlanChoice {
  planExternalId: string;
  timing?: "now" | "period-end";
}

/** What choosing a plan would do. */
export interface PortalPlanPreview {
  /** Whether it is bought, and not changed. */
  isPurchase: boolean;
  timing: "now" | "period-end";
  on: string;
  /** What each meter allows in a period now, what the new plan allows, and what was used. */
  limits: {
    meter: string;
    label?: string;
    /** Absent if no current plan has the meter. */
    before?: number;
    /** Absent if the new plan does not have the meter. */
    after?: number;
    /** In the current period. */
    used: number;
  }[];
  invoice?: {
    /** Set when the invoice is finalized; numbers have no gaps. */
    number?: string;
    type: "invoice" | "credit-note";
    /** The invoice that a credit note corrects. */
    correctsId?: string;
    subscriptionId?: string;
    /** The purchase of the credit pack that it sells. */
    purchaseId?: string;
    status: "draft" | "open" | "paid" | "uncollectible" | "void";
    currency: string;
    seller?: {
      legalName: string;
      address: { line1: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
      taxId?: string;
    };
    buyer?: {
      customerKey: string;
      email?: string;
      legalName?: string;
      address?: { line1?: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
      taxIds?: string[];
      /** Whether the customer pays tax. `reverse-charge`: the customer owes it to its own tax office. An invoice without tax states the reason. Only the operator sets it. */
      taxStatus?: "taxable" | "reverse-charge" | "exempt";
    };
    /** Whether the amounts of lines are without tax (`exclusive`) or with it (`inclusive`). */
    taxBehavior: "exclusive" | "inclusive";
    /** Why the customer pays no tax: reverse charge or an exemption. */
    taxNote?: string;
    lines: {
      kind: "plan" | "overage" | "proration" | "credit" | "tax" | "manual" | "pack";
      planId?: string;
      meter?: string;
      description?: string;
      /** Of a credit from promotional or prepaid grants, which reduces the invoice before tax. */
      funding?: "promotional" | "prepaid";
      quantity: number;
      unitAmount?: string;
      amount: string;
      /** Of a tax: the amounts of the other lines include it, so that it does not add to the total. */
      isIncluded?: true;
      periodStart: string;
      periodEnd: string;
      /** The line whose amount it credits, counted from 0. */
      credits?: { invoiceId: string; line: number };
    }[];
    /** Without tax. */
    subtotal: string;
    tax: string;
    total: string;
    amountDue: string;
    /** Overage beyond a cap, which is not billed. */
    writtenOff?: string;
    /** What paid grants pay of the total. */
    fromCredits?: string;
    /** The sum of its credit notes. */
    credited?: string;
    /** What later invoices credit of its fees, with tax. It is not a part of `credited`. */
    netted?: string;
    /** The part of its credit notes that is returned to the payment method. */
    refunded?: string;
    /** Of a credit note: what is returned to the payment method. If that fails, the amount is added to the customer's credits instead. */
    refund?: { amount: string; state: "pending" | "succeeded" | "failed" };
    /** When a draft is finalized. */
    finalizesOn?: string;
    finalizedOn?: string;
    dueOn?: string;
    /** When a payment failed, or the due date passed without one. */
    failedOn?: string;
    paidOn?: string;
    reference?: string;
    /** How far Stripe has come that collects the invoice. `needs_action`: the bank requires a second step of the customer, at `url`. `error`: an operator has to look at it, see the comparison. */
    collection?: {
      state: "pending" | "needs_action" | "failed" | "paid" | "void" | "error";
      /** The provider's page of the invoice, where the customer pays. */
      url?: string;
    };
  };
  /** For fees that the invoice does not credit. */
  creditNotes?: {
    /** Set when the invoice is finalized; numbers have no gaps. */
    number?: string;
    type: "invoice" | "credit-note";
    /** The invoice that a credit note corrects. */
    correctsId?: string;
    subscriptionId?: string;
    /** The purchase of the credit pack that it sells. */
    purchaseId?: string;
    status: "draft" | "open" | "paid" | "uncollectible" | "void";
    currency: string;
    seller?: {
      legalName: string;
      address: { line1: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
      taxId?: string;
    };
    buyer?: {
      customerKey: string;
      email?: string;
      legalName?: string;
      address?: { line1?: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
      taxIds?: string[];
      /** Whether the customer pays tax. `reverse-charge`: the customer owes it to its own tax office. An invoice without tax states the reason. Only the operator sets it. */
      taxStatus?: "taxable" | "reverse-charge" | "exempt";
    };
    /** Whether the amounts of lines are without tax (`exclusive`) or with it (`inclusive`). */
    taxBehavior: "exclusive" | "inclusive";
    /** Why the customer pays no tax: reverse charge or an exemption. */
    taxNote?: string;
    lines: {
      kind: "plan" | "overage" | "proration" | "credit" | "tax" | "manual" | "pack";
      planId?: string;
      meter?: string;
      description?: string;
      /** Of a credit from promotional or prepaid grants, which reduces the invoice before tax. */
      funding?: "promotional" | "prepaid";
      quantity: number;
      unitAmount?: string;
      amount: string;
      /** Of a tax: the amounts of the other lines include it, so that it does not add to the total. */
      isIncluded?: true;
      periodStart: string;
      periodEnd: string;
      /** The line whose amount it credits, counted from 0. */
      credits?: { invoiceId: string; line: number };
    }[];
    /** Without tax. */
    subtotal: string;
    tax: string;
    total: string;
    amountDue: string;
    /** Overage beyond a cap, which is not billed. */
    writtenOff?: string;
    /** What paid grants pay of the total. */
    fromCredits?: string;
    /** The sum of its credit notes. */
    credited?: string;
    /** What later invoices credit of its fees, with tax. It is not a part of `credited`. */
    netted?: string;
    /** The part of its credit notes that is returned to the payment method. */
    refunded?: string;
    /** Of a credit note: what is returned to the payment method. If that fails, the amount is added to the customer's credits instead. */
    refund?: { amount: string; state: "pending" | "succeeded" | "failed" };
    /** When a draft is finalized. */
    finalizesOn?: string;
    finalizedOn?: string;
    dueOn?: string;
    /** When a payment failed, or the due date passed without one. */
    failedOn?: string;
    paidOn?: string;
    reference?: string;
    /** How far Stripe has come that collects the invoice. `needs_action`: the bank requires a second step of the customer, at `url`. `error`: an operator has to look at it, see the comparison. */
    collection?: {
      state: "pending" | "needs_action" | "failed" | "paid" | "void" | "error";
      /** The provider's page of the invoice, where the customer pays. */
      url?: string;
    };
  }[];
}

export interface PortalChosenPlan {
  subscription?: {
    status:
      | "active"
      | "inactive"
      | "incomplete"
      | "incomplete-expired"
      | "trialing"
      | "past-due"
      | "canceled"
      | "unpaid";
    plans: { planExternalId: string; label: string }[];
    periodEnd: string;
    trialEndDate?: string;
    /** The state of its invoices, if a plan has a price. */
    payment?: {
      state: "not_required" | "pending" | "paid" | "failed";
      since: string;
      /** From then on the status reads `unpaid`. */
      blocksOn?: string;
    };
    /** When it will be canceled, at the end of a period. */
    cancelsOn?: string;
    /** The plans from the end of the period on. */
    planChange?: { planExternalIds: string[]; on: string };
  };
  /** Where the customer pays. The plan is active once it is paid. */
  url?: string;
}

export interface PortalPlanCancel {
  timing?: "now" | "period-end";
}

export interface PortalCheckoutCreate {
  /** The page that the customer comes back to. */
  returnTo?: "plans" | "credit";
}

export interface PortalCheckoutLink {
  url: string;
}

/** One page of a list, in the order of creation. */
export type PortalInvoiceList = Page<PortalInvoice>;

export interface PortalInvoice {
  id: string;
  /** Set when the invoice is finalized; numbers have no gaps. */
  number?: string;
  type: "invoice" | "credit-note";
  /** The invoice that a credit note corrects. */
  correctsId?: string;
  /** The purchase of the credit pack that it sells. */
  purchaseId?: string;
  status: "draft" | "open" | "paid" | "uncollectible" | "void";
  currency: string;
  seller?: {
    legalName: string;
    address: { line1: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
    taxId?: string;
  };
  buyer?: {
    customerKey: string;
    email?: string;
    legalName?: string;
    address?: { line1?: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
    taxIds?: string[];
    /** Whether the customer pays tax. `reverse-charge`: the customer owes it to its own tax office. An invoice without tax states the reason. Only the operator sets it. */
    taxStatus?: "taxable" | "reverse-charge" | "exempt";
  };
  /** Whether the amounts of lines are without tax (`exclusive`) or with it (`inclusive`). */
  taxBehavior: "exclusive" | "inclusive";
  /** Why the customer pays no tax: reverse charge or an exemption. */
  taxNote?: string;
  lines: {
    kind: "plan" | "overage" | "proration" | "credit" | "tax" | "manual" | "pack";
    planId?: string;
    meter?: string;
    description?: string;
    /** Of a credit from promotional or prepaid grants, which reduces the invoice before tax. */
    funding?: "promotional" | "prepaid";
    quantity: number;
    unitAmount?: string;
    amount: string;
    /** Of a tax: the amounts of the other lines include it, so that it does not add to the total. */
    isIncluded?: true;
    periodStart: string;
    periodEnd: string;
    /** The line whose amount it credits, counted from 0. */
    credits?: { invoiceId: string; line: number };
  }[];
  /** Without tax. */
  subtotal: string;
  tax: string;
  total: string;
  amountDue: string;
  /** Overage beyond a cap, which is not billed. */
  writtenOff?: string;
  /** What paid grants pay of the total. */
  fromCredits?: string;
  /** The sum of its credit notes. */
  credited?: string;
  /** What later invoices credit of its fees, with tax. It is not a part of `credited`. */
  netted?: string;
  /** The part of its credit notes that is returned to the payment method. */
  refunded?: string;
  /** Of a credit note: what is returned to the payment method. If that fails, the amount is added to the customer's credits instead. */
  refund?: { amount: string; state: "pending" | "succeeded" | "failed" };
  /** When a draft is finalized. */
  finalizesOn?: string;
  finalizedOn?: string;
  dueOn?: string;
  /** When a payment failed, or the due date passed without one. */
  failedOn?: string;
  paidOn?: string;
  reference?: string;
  /** How far Stripe has come that collects the invoice. `needs_action`: the bank requires a second step of the customer, at `url`. `error`: an operator has to look at it, see the comparison. */
  collection?: {
    state: "pending" | "needs_action" | "failed" | "paid" | "void" | "error";
    /** The provider's page of the invoice, where the customer pays. */
    url?: string;
  };
  createdOn: string;
  updatedOn: string;
}

/** The name and address on invoices. */
export interface PortalBillingDetails {
  email?: string;
  legalName?: string;
  address?: { line1?: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
  taxIds?: string[];
  /** Whether buying needs a name and an address. */
  isRequired: boolean;
}

export interface PortalBillingUpdate {
  email?: string | null;
  legalName?: string | null;
  address?: {
    line1?: string;
    line2?: string;
    postalCode?: string;
    city?: string;
    state?: string;
    /** Two letters of ISO 3166, such as DE. */
    country: string;
  } | null;
  taxIds?: string[] | null;
}

/** What limits the cost of usage beyond the plan, and the credits that pay for it. */
export interface PortalSpending {
  /** The currency of a new cap without one: that of the customer. */
  currency?: string;
  /** If there are several: that of the customer, of the current plan, and of caps. */
  currencies?: string[];
  /** What happens to usage beyond the current plan: it is billed, paid from credits of money, or rejected. If its meters differ, the first of these that applies to one. */
  overage?: "bill" | "prepaid" | "block";
  /** The customer's cap of the cost of overage in a period. */
  spendCap?: {
    amount: string;
    action: "block" | "notify";
    /** Absent until the customer has a currency. */
    currency?: string;
  };
  /** All of them, if there are caps in several currencies. `spendCap` is the first. */
  spendCaps?: {
    amount: string;
    action: "block" | "notify";
    /** Absent until the customer has a currency. */
    currency?: string;
  }[];
  /** The operator's cap. The lower one applies. */
  creditLimit?: {
    amount: string;
    action: "block" | "notify";
    /** Absent until the customer has a currency. */
    currency?: string;
  };
  /** All of them, if there are caps in several currencies. `creditLimit` is the first. */
  creditLimits?: {
    amount: string;
    action: "block" | "notify";
    /** Absent until the customer has a currency. */
    currency?: string;
  }[];
  /** Those that can be used now or later, the oldest first. */
  credits: PortalCredit[];
}

/** Credits of the customer: units of a meter, or money. */
export interface PortalCredit {
  id: string;
  meter?: string;
  currency?: string;
  amount: number | string;
  /** What is left, with the usage so far. */
  balance: number | string;
  status: "scheduled" | "active" | "depleted" | "expired" | "voided";
  effectiveOn: string;
  expiresOn?: string;
  reason?: string;
}

export interface PortalSpendingUpdate {
  spendCap?: {
    amount: string;
    action: "block" | "notify";
    /** By default that of the customer at that moment. */
    currency?: string;
  } | null;
  spendCaps?:
    | {
        amount: string;
        action: "block" | "notify";
        /** A currency of ISO 4217, such as EUR. */
        currency: string;
      }[]
    | null;
}

/** The customer's credit, and what there is to buy. */
export interface PortalCreditOverview {
  /** The credit that the customer can buy, in order. */
  packs: {
    packExternalId: string;
    label: string;
    price: { currency: string; amount: string };
    grant: { meter?: string; currency?: string; amount: number | string; expiresInDays?: number };
  }[];
  /** False as long as the business cannot sell yet. */
  isAvailable: boolean;
  /** Whether prices include tax, or tax is added. Absent if there is none. */
  taxBehavior?: "exclusive" | "inclusive";
  /** Whether the customer enters a payment method, or pays invoices. */
  paysOnline: boolean;
  paymentMethod?: { label: string };
  /** Without a plan, credit cannot be used. */
  hasPlan: boolean;
  /** The labels of meters, by their names. */
  meters: Record<string, string>;
  /** What can be used now, by meter and currency. Needs the scope `usage:read`. */
  left?: { meter?: string; currency?: string; amount: number | string }[];
  /** Those that can be used now or later, the first to expire first. Needs `usage:read`. */
  credits?: PortalCredit[];
  /** Those that are not paid yet. */
  purchases: {
    id: string;
    label: string;
    /** Whether the automatic top-up of the customer started it. */
    isTopUp: boolean;
    /** The price with tax. */
    total: { currency: string; amount: string };
    createdOn: string;
    /** Until when an open purchase can be paid. */
    expiresOn?: string;
    /** The customer has to confirm the payment. */
    needsAction?: boolean;
    /** The page on which the customer confirms the payment. Not for readers, who could pay and change the payment method there. */
    url?: string;
    /** A payment was declined. */
    hasFailed?: true;
  }[];
  topUp?: {
    packExternalId: string;
    below: number | string;
    maximumPerMonth: string;
    isEnabled: boolean;
    /** When and why the server turned it off. */
    stopped?: { on: string; reason: "payment_failed" | "refunded" | "account_deleted" | "maximum_too_low" };
    /** What top-ups of this month cost, with tax. */
    spent?: string;
    /** Of the price. Absent if the pack was deleted. */
    currency?: string;
  };
}

/** One page of a list, in the order of creation. */
export type PortalCreditHistory = Page<PortalCreditEntry>;

/** An entry of the history of the customer's credit. */
export interface PortalCreditEntry {
  id: string;
  /** `refunded`: returned to the customer. `restored`: that refund failed. `adjusted`: units that were carried over, after usage of their period arrived late or was taken back. */
  kind: "granted" | "consumed" | "expired" | "voided" | "refunded" | "restored" | "adjusted";
  /** Negative if the balance fell. */
  amount: number | string;
  /** The hour of the usage. */
  hour?: string;
  /** The meter of the units, or of the usage that money paid. */
  meter?: string;
  /** Of money. Without it, amounts are units of `meter`. */
  currency?: string;
  /** Of the grant. */
  reason?: string;
  createdOn: string;
}

export interface PortalPackChoice {
  packExternalId: string;
}

/** What buying credit would cost. */
export interface PortalPackPreview {
  invoice: {
    /** Set when the invoice is finalized; numbers have no gaps. */
    number?: string;
    type: "invoice" | "credit-note";
    /** The invoice that a credit note corrects. */
    correctsId?: string;
    subscriptionId?: string;
    /** The purchase of the credit pack that it sells. */
    purchaseId?: string;
    status: "draft" | "open" | "paid" | "uncollectible" | "void";
    currency: string;
    seller?: {
      legalName: string;
      address: { line1: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
      taxId?: string;
    };
    buyer?: {
      customerKey: string;
      email?: string;
      legalName?: string;
      address?: { line1?: string; line2?: string; postalCode?: string; city?: string; state?: string; country: string };
      taxIds?: string[];
      /** Whether the customer pays tax. `reverse-charge`: the customer owes it to its own tax office. An invoice without tax states the reason. Only the operator sets it. */
      taxStatus?: "taxable" | "reverse-charge" | "exempt";
    };
    /** Whether the amounts of lines are without tax (`exclusive`) or with it (`inclusive`). */
    taxBehavior: "exclusive" | "inclusive";
    /** Why the customer pays no tax: reverse charge or an exemption. */
    taxNote?: string;
    lines: {
      kind: "plan" | "overage" | "proration" | "credit" | "tax" | "manual" | "pack";
      planId?: string;
      meter?: string;
      description?: string;
      /** Of a credit from promotional or prepaid grants, which reduces the invoice before tax. */
      funding?: "promotional" | "prepaid";
      quantity: number;
      unitAmount?: string;
      amount: string;
      /** Of a tax: the amounts of the other lines include it, so that it does not add to the total. */
      isIncluded?: true;
      periodStart: string;
      periodEnd: string;
      /** The line whose amount it credits, counted from 0. */
      credits?: { invoiceId: string; line: number };
    }[];
    /** Without tax. */
    subtotal: string;
    tax: string;
    total: string;
    amountDue: string;
    /** Overage beyond a cap, which is not billed. */
    writtenOff?: string;
    /** What paid grants pay of the total. */
    fromCredits?: string;
    /** The sum of its credit notes. */
    credited?: string;
    /** What later invoices credit of its fees, with tax. It is not a part of `credited`. */
    netted?: string;
    /** The part of its credit notes that is returned to the payment method. */
    refunded?: string;
    /** Of a credit note: what is returned to the payment method. If that fails, the amount is added to the customer's credits instead. */
    refund?: { amount: string; state: "pending" | "succeeded" | "failed" };
    /** When a draft is finalized. */
    finalizesOn?: string;
    finalizedOn?: string;
    dueOn?: string;
    /** When a payment failed, or the due date passed without one. */
    failedOn?: string;
    paidOn?: string;
    reference?: string;
    /** How far Stripe has come that collects the invoice. `needs_action`: the bank requires a second step of the customer, at `url`. `error`: an operator has to look at it, see the comparison. */
    collection?: {
      state: "pending" | "needs_action" | "failed" | "paid" | "void" | "error";
      /** The provider's page of the invoice, where the customer pays. */
      url?: string;
    };
  };
  expiresOn?: string;
}

export interface PortalBoughtPack {
  /** `failed`: of a top-up that was not paid. `canceled`: of another purchase that was not paid in time. */
  state: "open" | "paid" | "failed" | "canceled";
  /** Where the customer pays. The credit is there once it is paid. */
  url?: string;
}

export interface PortalCreditUpdate {
  topUp?: {
    packExternalId: string;
    /** In the unit of the pack's grant, and less than it. */
    below: number | string;
    /** Money with tax, in the currency of the pack's price, in a calendar month of UTC. If it is enabled, at least what the pack costs with tax. */
    maximumPerMonth: string;
    /** Becomes false when a payment fails, and when the pack costs more than the maximum because taxes have risen. */
    isEnabled: boolean;
  } | null;
}

/** RFC 8414. */
export interface AuthorizationServerMetadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  revocation_endpoint: string;
  jwks_uri: string;
  registration_endpoint?: string;
}

export interface OAuthTokenForm {
  grant_type: "authorization_code" | "refresh_token" | "client_credentials";
  code?: string;
  redirect_uri?: string;
  code_verifier?: string;
  refresh_token?: string;
  client_id?: string;
  client_secret?: string;
  scope?: string;
  resource?: string;
}

export interface OAuthTokenResponse {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token?: string;
  scope: string;
}

/** An error of RFC 6749 or RFC 7591. */
export interface OAuthErrorResponse {
  error:
    | "invalid_request"
    | "invalid_client"
    | "invalid_grant"
    | "invalid_scope"
    | "invalid_target"
    | "unauthorized_client"
    | "unsupported_grant_type"
    | "unsupported_response_type"
    | "unsupported_token_type"
    | "access_denied"
    | "invalid_redirect_uri"
    | "invalid_client_metadata"
    | "temporarily_unavailable";
  error_description: string;
}

export interface OAuthRevocationForm {
  token: string;
  token_type_hint?: string;
  client_id?: string;
  client_secret?: string;
}

/** RFC 7591. */
export interface OAuthRegistrationResponse {
  client_id: string;
}

export interface OAuthRequestInput {
  /** The query of the address of the authorization endpoint, without the question mark. */
  query: string;
}

export interface OAuthConsentRequest {
  /** The request is rejected: where the browser has to go. Nothing else is set then. */
  redirectTo?: string;
  client?: { name: string; type: "registered" | "service" | "document" | "dynamic" };
  /** The host of the client's document, or of the redirect. */
  host?: string;
  consumer?: { id: string; name: string };
  deployment?: string;
  permissions?: string[];
  expiresOn?: string;
}

export interface OAuthConsentInput {
  /** The query of the address of the authorization endpoint, without the question mark. */
  query: string;
  /** The customer that the page showed. */
  consumerId: string;
  isApproved: boolean;
}

export interface OAuthConsentOutcome {
  /** Where the browser has to go. */
  redirectTo: string;
}

/** One page of a list, in the order of creation. */
export type PortalAuthorizationList = Page<PortalAuthorization>;

export interface PortalAuthorization {
  id: string;
  client: {
    id: string;
    clientId: string;
    name: string;
    type: "registered" | "service" | "document" | "dynamic";
    /** The host of its document, or of the redirect. */
    host?: string;
  };
  /** Who consented. */
  subject: string;
  permissions: string[];
  /** The deployment of its tokens. A service client has none: it chooses one for each token. */
  deployment?: string;
  createdOn: string;
  /** When its last refresh token was issued. */
  refreshedOn?: string;
  expiresOn: string | null;
}

/** One page of a list, in the order of creation. */
export type PortalOAuthClientList = Page<PortalOAuthClient>;

export interface PortalOAuthClient {
  id: string;
  /** The `client_id`: the id, or the URL of the client's metadata document. */
  clientId: string;
  /** `registered`: created by you or a customer. `service`: of a customer, with a secret, for requests without a person. `document`: known by its metadata document. `dynamic`: registered itself. */
  type: "registered" | "service" | "document" | "dynamic";
  name: string;
  redirectUris: string[];
  createdOn: string;
  updatedOn: string;
  /** Of a new service client. Shown once. */
  clientSecret?: string;
}

export interface PortalOAuthClientInput {
  /** The name of the program, which customers see. */
  name: string;
  /** Left out for a program without a browser, which gets a secret (`client_credentials`). */
  redirectUris?: string[];
}

/** What each operation takes and returns. */
export interface Operations {
  /** Read what everyone may know of the portal */
  getPortalSite: {
    params: object;
    query: object;
    body: undefined;
    response: PortalSite;
  };
  /** Show whose session a hand-off opens */
  readPortalHandoff: {
    params: object;
    query: object;
    body: PortalHandoffCode;
    response: PortalHandoffCustomer;
  };
  /** Exchange the code of a hand-off for a session */
  signInToPortal: {
    params: object;
    query: object;
    body: PortalSignIn;
    response: PortalSession;
  };
  /** Read the session */
  getPortalSession: {
    params: object;
    query: object;
    body: undefined;
    response: PortalSession;
  };
  /** Sign out */
  signOutOfPortal: {
    params: object;
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Send a mail to sign in or sign up with */
  startPortalSignIn: {
    params: object;
    query: object;
    body: PortalSignInStart;
    response: PortalStartedSignIn;
  };
  /** Sign in with the code of a mail */
  signInToPortalWithCode: {
    params: object;
    query: object;
    body: PortalSignInCode;
    response: PortalSignInOutcome;
  };
  /** Sign in with the link of a mail */
  signInToPortalWithLink: {
    params: object;
    query: object;
    body: PortalSignInLink;
    response: PortalSignInOutcome;
  };
  /** Choose a customer to sign in for */
  choosePortalCustomer: {
    params: object;
    query: object;
    body: PortalCustomerChoice;
    response: PortalSignInOutcome;
  };
  /** Create an account, or request access */
  signUpToPortal: {
    params: object;
    query: object;
    body: PortalSignUp;
    response: PortalSignUpOutcome;
  };
  /** List the customers that the person manages */
  listPortalCustomers: {
    params: object;
    query: object;
    body: undefined;
    response: PortalCustomers;
  };
  /** Sign in for another customer of the person */
  switchPortalCustomer: {
    params: { membershipId: string };
    query: object;
    body: Record<string, never>;
    response: PortalSession;
  };
  /** Begin a sign-in with the portal's identity provider */
  startPortalProviderSignIn: {
    params: object;
    query: object;
    body: PortalProviderSignInStart;
    response: PortalStartedProviderSignIn;
  };
  /** Sign in with the answer of the portal's identity provider */
  signInToPortalWithProvider: {
    params: object;
    query: object;
    body: PortalProviderAnswer;
    response: PortalSignInOutcome;
  };
  /** List the customer's keys */
  listPortalKeys: {
    params: object;
    query: object;
    body: undefined;
    response: PortalKeys;
  };
  /** Create a key */
  createPortalKey: {
    params: object;
    query: object;
    body: PortalKeyCreate;
    response: PortalKey;
  };
  /** Name a key, or disable or enable it */
  updatePortalKey: {
    params: { keyId: string };
    query: object;
    body: PortalKeyUpdate;
    response: PortalKey;
  };
  /** Delete a key */
  deletePortalKey: {
    params: { keyId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Replace a key */
  rollPortalKey: {
    params: { keyId: string };
    query: object;
    body: PortalKeyRoll;
    response: PortalKey;
  };
  /** List the people of the customer, and who is invited */
  listPortalPeople: {
    params: object;
    query: object;
    body: undefined;
    response: PortalPeople;
  };
  /** Invite a person */
  invitePortalPerson: {
    params: object;
    query: object;
    body: PortalInviteCreate;
    response: PortalInvite;
  };
  /** Withdraw an invite */
  withdrawPortalInvite: {
    params: { inviteId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Change what a person may do */
  updatePortalPerson: {
    params: { managerId: string };
    query: object;
    body: PortalPersonUpdate;
    response: PortalPerson;
  };
  /** Remove a person */
  removePortalPerson: {
    params: { managerId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** List the APIs of the portal */
  listPortalApis: {
    params: object;
    query: object;
    body: undefined;
    response: PortalApis;
  };
  /** Read the customer's usage by meter and day */
  getPortalUsage: {
    params: object;
    query: object;
    body: undefined;
    response: PortalUsage;
  };
  /** List the customer's requests, and why they failed */
  listPortalRequests: {
    params: object;
    query: {
      /** `failed`: only requests with a status of 400 or more. */
      outcome?: "failed";
      /** Only requests before the one with this id: the last of the page before. */
      before?: string;
      /** How many of the newest requests to return. */
      limit?: number;
    };
    body: undefined;
    response: PortalRequests;
  };
  /** List the pages of the reference and the guides */
  getPortalDocumentation: {
    params: object;
    query: object;
    body: undefined;
    response: Documentation;
  };
  /** Read a page of the reference or a guide */
  getPortalPage: {
    params: object;
    query: {
      /** Such as `weather/operations/getForecast`, or `weather` for the overview. */
      path?: string;
    };
    body: undefined;
    response: DocumentationPage;
  };
  /** Send a request to an API of the portal */
  tryPortalOperation: {
    params: object;
    query: object;
    body: PortalTry;
    response: PortalTryResponse;
  };
  /** List the plans that the customer can choose, and the current one */
  listPortalPlans: {
    params: object;
    query: object;
    body: undefined;
    response: PortalPlans;
  };
  /** Preview the choice of a plan */
  previewPortalPlan: {
    params: object;
    query: object;
    body: PortalPlanChoice;
    response: PortalPlanPreview;
  };
  /** Choose a plan */
  choosePortalPlan: {
    params: object;
    query: object;
    body: PortalPlanChoice;
    response: PortalChosenPlan;
  };
  /** Cancel the customer's plan */
  cancelPortalPlan: {
    params: object;
    query: object;
    body: PortalPlanCancel;
    response: PortalChosenPlan;
  };
  /** Undo the cancellation of the customer's plan, or a change that is scheduled */
  resumePortalPlan: {
    params: object;
    query: object;
    body: Record<string, never>;
    response: PortalChosenPlan;
  };
  /** Get the address where the customer enters a payment method and pays what is open */
  createPortalCheckout: {
    params: object;
    query: object;
    body: PortalCheckoutCreate;
    response: PortalCheckoutLink;
  };
  /** List the customer's invoices and credit notes */
  listPortalInvoices: {
    params: object;
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: PortalInvoiceList;
  };
  /** Read an invoice */
  getPortalInvoice: {
    params: { invoiceId: string };
    query: {
      /** As `Accept: application/pdf`, for links. */
      format?: "pdf";
    };
    body: undefined;
    response: PortalInvoice;
  };
  /** Read the name and address on the customer's invoices */
  getPortalBilling: {
    params: object;
    query: object;
    body: undefined;
    response: PortalBillingDetails;
  };
  /** Change the name and address on the customer's invoices */
  updatePortalBilling: {
    params: object;
    query: object;
    body: PortalBillingUpdate;
    response: PortalBillingDetails;
  };
  /** Read the customer's credits and caps */
  getPortalSpending: {
    params: object;
    query: object;
    body: undefined;
    response: PortalSpending;
  };
  /** Change the customer's cap */
  updatePortalSpending: {
    params: object;
    query: object;
    body: PortalSpendingUpdate;
    response: PortalSpending;
  };
  /** Read the customer's credit, and what there is to buy */
  getPortalCredit: {
    params: object;
    query: object;
    body: undefined;
    response: PortalCreditOverview;
  };
  /** Change the automatic top-up */
  updatePortalCredit: {
    params: object;
    query: object;
    body: PortalCreditUpdate;
    response: PortalCreditOverview;
  };
  /** List the history of the customer's credit */
  listPortalCreditHistory: {
    params: object;
    query: {
      /** `desc`: the newest first. */
      order?: "asc" | "desc";
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: PortalCreditHistory;
  };
  /** Preview the purchase of credit */
  previewPortalPack: {
    params: object;
    query: object;
    body: PortalPackChoice;
    response: PortalPackPreview;
  };
  /** Buy credit */
  buyPortalPack: {
    params: object;
    query: object;
    body: PortalPackChoice;
    response: PortalBoughtPack;
  };
  /** Delete the customer's account */
  deletePortalAccount: {
    params: object;
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Read the metadata of the authorization server */
  getAuthorizationServerMetadata: {
    params: object;
    query: object;
    body: undefined;
    response: AuthorizationServerMetadata;
  };
  /** Read the keys that sign access tokens */
  getAuthorizationServerKeys: {
    params: object;
    query: object;
    body: undefined;
    response: JsonWebKeySet;
  };
  /** Issue tokens */
  issueOAuthToken: {
    params: object;
    query: object;
    body: undefined;
    response: OAuthTokenResponse;
  };
  /** Revoke a token */
  revokeOAuthToken: {
    params: object;
    query: object;
    body: undefined;
    response: Record<string, never>;
  };
  /** Register a client */
  registerOAuthClient: {
    params: object;
    query: object;
    body: undefined;
    response: OAuthRegistrationResponse;
  };
  /** Check a request for authorization, and show what it asks for */
  readOAuthRequest: {
    params: object;
    query: object;
    body: OAuthRequestInput;
    response: OAuthConsentRequest;
  };
  /** Consent to a request for authorization, or deny it */
  decideOAuthRequest: {
    params: object;
    query: object;
    body: OAuthConsentInput;
    response: OAuthConsentOutcome;
  };
  /** List the programs that the customer has authorized */
  listPortalAuthorizations: {
    params: object;
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: PortalAuthorizationList;
  };
  /** End the authorization of a program */
  endPortalAuthorization: {
    params: { authorizationId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** List the clients that the customer created */
  listPortalOAuthClients: {
    params: object;
    query: {
      /** Page size; at most 1000. */
      limit?: number;
      /** Items to skip. */
      offset?: number;
    };
    body: undefined;
    response: PortalOAuthClientList;
  };
  /** Create a client */
  createPortalOAuthClient: {
    params: object;
    query: object;
    body: PortalOAuthClientInput;
    response: PortalOAuthClient;
  };
  /** Delete a client */
  deletePortalOAuthClient: {
    params: { oauthClientId: string };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Open the page where a customer pays */
  openPortalCheckout: {
    params: { checkoutToken: string };
    query: object;
    body: undefined;
    response: Checkout;
  };
  /** Choose a payment method of the sandbox, and pay */
  submitPortalCheckout: {
    params: { checkoutToken: string };
    query: object;
    body: undefined;
    response: Checkout;
  };
}

/** Where each operation is found. */
export const routes = {
  getPortalSite: "GET /portal/api/site",
  readPortalHandoff: "POST /portal/api/hand-off",
  signInToPortal: "POST /portal/api/session",
  getPortalSession: "GET /portal/api/session",
  signOutOfPortal: "DELETE /portal/api/session",
  startPortalSignIn: "POST /portal/api/sign-in",
  signInToPortalWithCode: "POST /portal/api/sign-in/code",
  signInToPortalWithLink: "POST /portal/api/sign-in/link",
  choosePortalCustomer: "POST /portal/api/sign-in/customer",
  signUpToPortal: "POST /portal/api/sign-up",
  listPortalCustomers: "GET /portal/api/customers",
  switchPortalCustomer: "POST /portal/api/customers/{membershipId}/$open",
  startPortalProviderSignIn: "POST /portal/api/sign-in/provider",
  signInToPortalWithProvider: "POST /portal/api/sign-in/provider/callback",
  listPortalKeys: "GET /portal/api/keys",
  createPortalKey: "POST /portal/api/keys",
  updatePortalKey: "PATCH /portal/api/keys/{keyId}",
  deletePortalKey: "DELETE /portal/api/keys/{keyId}",
  rollPortalKey: "POST /portal/api/keys/{keyId}/$roll",
  listPortalPeople: "GET /portal/api/people",
  invitePortalPerson: "POST /portal/api/invites",
  withdrawPortalInvite: "DELETE /portal/api/invites/{inviteId}",
  updatePortalPerson: "PATCH /portal/api/people/{managerId}",
  removePortalPerson: "DELETE /portal/api/people/{managerId}",
  listPortalApis: "GET /portal/api/apis",
  getPortalUsage: "GET /portal/api/usage",
  listPortalRequests: "GET /portal/api/requests",
  getPortalDocumentation: "GET /portal/api/docs",
  getPortalPage: "GET /portal/api/docs/page",
  tryPortalOperation: "POST /portal/api/try",
  listPortalPlans: "GET /portal/api/plans",
  previewPortalPlan: "POST /portal/api/plans/$preview",
  choosePortalPlan: "POST /portal/api/subscription/$choose",
  cancelPortalPlan: "POST /portal/api/subscription/$cancel",
  resumePortalPlan: "POST /portal/api/subscription/$resume",
  createPortalCheckout: "POST /portal/api/checkouts",
  listPortalInvoices: "GET /portal/api/invoices",
  getPortalInvoice: "GET /portal/api/invoices/{invoiceId}",
  getPortalBilling: "GET /portal/api/billing",
  updatePortalBilling: "PATCH /portal/api/billing",
  getPortalSpending: "GET /portal/api/spending",
  updatePortalSpending: "PATCH /portal/api/spending",
  getPortalCredit: "GET /portal/api/credit",
  updatePortalCredit: "PATCH /portal/api/credit",
  listPortalCreditHistory: "GET /portal/api/credit/history",
  previewPortalPack: "POST /portal/api/credit/$preview",
  buyPortalPack: "POST /portal/api/credit/$purchase",
  deletePortalAccount: "DELETE /portal/api/account",
  getAuthorizationServerMetadata: "GET /.well-known/oauth-authorization-server",
  getAuthorizationServerKeys: "GET /oauth/jwks",
  issueOAuthToken: "POST /oauth/token",
  revokeOAuthToken: "POST /oauth/revoke",
  registerOAuthClient: "POST /oauth/register",
  readOAuthRequest: "POST /portal/api/oauth/request",
  decideOAuthRequest: "POST /portal/api/oauth/decision",
  listPortalAuthorizations: "GET /portal/api/authorizations",
  endPortalAuthorization: "DELETE /portal/api/authorizations/{authorizationId}",
  listPortalOAuthClients: "GET /portal/api/oauth-clients",
  createPortalOAuthClient: "POST /portal/api/oauth-clients",
  deletePortalOAuthClient: "DELETE /portal/api/oauth-clients/{oauthClientId}",
  openPortalCheckout: "GET /portal/api/checkouts/{checkoutToken}",
  submitPortalCheckout: "POST /portal/api/checkouts/{checkoutToken}",
} as const satisfies Record<keyof Operations, string>;
