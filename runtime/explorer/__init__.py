"""The explorer: a page that shows the plan, the listing, the costs and the registers of the kernel of a request."""
