// @ts-check
// The steward's page begins here.
import { begin } from "./begin.js";
import { showPlan } from "./plan.js";

begin(showPlan);
