"""Methods of other libraries, to compare with: never needed for anything else.

``registry`` has a row for each, ``skada_methods`` what skada brings, ``embeddings`` the vectors of
whole documents that a sentence encoder makes.
"""
