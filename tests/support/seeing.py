"""What a program that looks at pages for people who cannot see them finds wrong."""

from support.optional import need


def faults(page):
    """What axe finds, by rule, with where."""
    axe = need("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    return [(each["id"], [node["html"][:160] for node in each["nodes"][:3]]) for each in found]
