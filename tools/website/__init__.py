"""What the docs site is made of besides the pages that people write: claims, commands, public names, navigation, checks."""
