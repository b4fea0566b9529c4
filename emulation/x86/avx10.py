"""x"""
TABLE: dict = {}
