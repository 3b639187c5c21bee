import { z } from "zod";
import { siteNavigation } from "../../../core/artifact/site.ts";
import { text } from "../../../core/schemas/schemas.ts";

export const docsQuery = z.strictObject({
  // Not required: whether there is a session is checked first.
  path: text(500)
    .default("")
    .meta({ description: "Such as `weather/operations/getForecast`, or `weather` for the overview." }),
});

const published = siteNavigation
  .extend({
    slug: z.string().meta({ description: "The API's part of the paths of pages." }),
    deployment: z.string(),
    url: z.string().meta({ description: "The address of the API." }),
  })
  .meta({ id: "PublishedApi" });

const example = {
  slug: "weather",
  deployment: "weather-main-1a2b3c4",
  url: "https://weather-main-1a2b3c4.api.example.com",
  title: "Weather",
  version: "1.0.0",
  description: "Forecasts for every place on earth.",
  guides: [],
  reference: [
    {
      label: "Forecasts",
      entries: [{ page: "operations/getForecast", label: "Read a forecast", method: "GET", path: "/forecast" }],
    },
  ],
};

export const documentation = z
  .object({ data: z.array(published) })
  .meta({ id: "Documentation", examples: [{ data: [example] }] });
